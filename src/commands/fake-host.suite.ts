import type { Approvals, Readiness, Recordings, Sessions } from "../core/host.ts";
import { type SessionId, type TurnId, asId } from "../core/ids.ts";
import type { InputPart } from "../core/messages.ts";
import type { Learned } from "../core/learning.ts";
import type { MigrationReport } from "../core/migration.ts";
import type { ListedSession } from "../core/session.ts";
import type { CommandReply } from "../core/chat-state.ts";
import type { CommandCall, CommandHost } from "./command.ts";
import { dispatch } from "./dispatch.ts";

/** A host of plain functions. `calls` has everything that was asked to change something, in order. */
export type FakeHost = CommandHost & { readonly calls: readonly string[] };

const here = asId<"ses">("ses_here000001");

export const call: CommandCall & { readonly session: SessionId } = {
  session: here,
  surface: "cli",
  cwd: "/work",
  choices: {},
  attended: "ask",
  owner: true,
  busy: false,
};

/** Before the first message. */
const { session: _none, ...before } = call;
export const noSession: CommandCall = before;

export const text = (words: string): readonly InputPart[] => [{ type: "text", text: words }];

export const listed = (id: string, also: Partial<ListedSession> = {}): ListedSession => ({
  id: asId<"ses">(id),
  cwd: "/work",
  surface: "cli",
  audience: "owner",
  createdAt: 0,
  updatedAt: 60_000,
  ...also,
});

export type FakeOptions = {
  readonly sessions?: readonly ListedSession[];
  readonly status?: Partial<ReturnType<CommandHost["status"]>>;
  readonly ready?: Readiness;
  readonly over?: Partial<CommandHost>;
};

export function fakeHost({
  sessions = [listed(here)],
  status = {},
  ready,
  over = {},
}: FakeOptions = {}): FakeHost {
  const calls: string[] = [];
  const noted =
    <Result>(name: string, result: Result) =>
    async (...args: readonly unknown[]): Promise<Result> => {
      calls.push(`${name} ${JSON.stringify(args)}`);
      return result;
    };
  return {
    calls,
    status: () => ({
      version: "1.2.3",
      home: "/home/ada/.talaria",
      profile: "default",
      model: "big",
      provider: "mine",
      models: ["big", "small"],
      runtime: "loop",
      runtimeSetting: status.runtime ?? "loop",
      knownRuntime: status.runtime ?? "loop",
      display: { busyInput: "queue", bell: true, reasoning: "fold" },
      ...status,
    }),
    sessions: fakeSessions(sessions, noted("rename", undefined)),
    checks: async () => [
      { name: "store", ok: true, detail: "fine" },
      { name: "model", ok: false, detail: "no key", next: "set one" },
    ],
    approvals: fakeApprovals(noted),
    compress: async (_session, asked) => JSON.stringify(asked),
    choose: noted("choose", undefined),
    setDefaultRuntime: noted("setDefaultRuntime", undefined),
    readiness: noted("readiness", ready ?? { ok: true, detail: "codex-cli 0.166.0 at /bin/codex" }),
    stop: noted("stop", { interrupted: true, setAside: 0, ended: [] }),
    running: () => [],
    endRunning: noted("endRunning", []),
    undo: noted("undo", { turns: [{ id: turn, input: text("second") }], changes: 0 }),
    redo: noted("redo", { turns: [{ id: turn, input: text("second") }], changes: 0 }),
    fork: noted("fork", listed("ses_fork000001")),
    delegated: () => [],
    context: async () => ({ runtime: "loop", lines: [] }),
    tools: async () => [],
    switchTools: noted("switchTools", {
      changed: [],
      file: "/home/ada/.talaria/config.yaml",
      ignoredByCodex: [],
    }),
    diff: async (of) => ({ text: JSON.stringify(of) }),
    mcp: { list: async () => [], approve: noted("approve", undefined), restart: failing(new Error("none")) },
    recordings: fakeRecordings,
    learned: { skill: async () => undefined, skills: async () => [] } as Partial<Learned> as Learned,
    migration: { run: async () => nothingToMigrate, activePlugins: async () => [] },
    usage: async () => ({ total: spent, days: [], models: [], causes: [], budgets: [] }),
    ...over,
  };
}

export const nothingToMigrate: MigrationReport = {
  file: "/home/ada/.codex/config.toml",
  diff: "",
  written: false,
  servers: [],
  plugins: [],
  tools: false,
  warnings: [],
};

export const say = async (
  line: string,
  host: CommandHost = fakeHost(),
  from: CommandCall = call,
): Promise<CommandReply> => await dispatch(line, from, host);

/** A function of the host that always fails like this. */
export const failing = (error: Error) => async (): Promise<never> => {
  throw error;
};

const turn: TurnId = asId<"trn">("trn_1");
export const spent = {
  rows: 1,
  input: 1200,
  cached: 200,
  output: 30,
  reasoning: 0,
  cost: 0.25,
  unpriced: 0,
  uncounted: 0,
};

function fakeSessions(rows: readonly ListedSession[], rename: Sessions["rename"]): Sessions {
  const some: Partial<Sessions> = {
    rename,
    list: async ({ limit }) => rows.slice(0, limit),
    get: async (id) => {
      const found = rows.find((row) => row.id.startsWith(id));
      if (found === undefined) throw new Error(`no session ${id}`);
      return found;
    },
    messages: async () => [],
    turns: async () => [],
    waiting: async () => [],
    setAside: async () => [],
  };
  return some as Sessions;
}

function fakeApprovals(noted: <Result>(name: string, result: Result) => () => Promise<Result>): Approvals {
  const grant = { id: "grn_1", scope: "always", summary: "make test" };
  return {
    rules: async () => ["Everything asks."],
    grants: async () => [grant],
    list: async () => [{ id: "apr_1", question: { summary: "rm -f x" } }],
    revoke: noted("revoke", grant),
  } as unknown as Approvals;
}

const fakeRecordings: Recordings = {
  list: async (limit) =>
    [
      { file: "/r/trn_2.jsonl", at: 120_000 },
      { file: "/r/trn_1.jsonl", at: 60_000 },
    ].slice(0, limit),
  replay: async (file) => [`replay of ${file}`, "2 frames"],
};
