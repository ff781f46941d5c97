import type { Calls, Client, Handlers, InputOf, OperationName } from "../../core/calls.ts";
import type { HostStatus, Readiness } from "../../core/host.ts";
import { type SessionId, type TurnId, asId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import { type Principal, type Role, localOwner } from "../../core/principal.ts";
import type { MigrationReport } from "../../core/migration.ts";
import type { ListedSession } from "../../core/session.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import type { CommandCall } from "./command.ts";
import { dispatch } from "./dispatch.ts";

/** A client of plain functions. `calls` has everything that was asked to change something, in order. */
export type FakeHost = Client & { readonly calls: readonly string[] };

const here = asId<"ses">("ses_here000001");

export const call: CommandCall & { readonly session: SessionId } = {
  session: here,
  surface: "cli",
  cwd: "/work",
  choices: {},
  attended: "ask",
  now: 0,
  by: localOwner("cli"),
  busy: false,
};

export const guest: Principal = { surface: "cli", id: "g", role: "guest", local: false };

/** Typed in a chat app by somebody of this role. */
export const inChat = (role: Role, also: Partial<CommandCall> = {}): CommandCall => ({
  ...call,
  surface: "telegram",
  by: { surface: "telegram", id: "77", name: "Pat", role, local: false },
  ...also,
});

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

type Answers = { readonly [Name in OperationName]?: (input: InputOf<Name>) => ReturnType<Calls[Name]> };

export type FakeOptions = {
  readonly sessions?: readonly ListedSession[];
  readonly status?: Partial<HostStatus>;
  readonly ready?: Readiness;
  readonly over?: Answers;
};

/** Operations that change something, and the one that may be slow: these are noted. */
const noted: ReadonlySet<string> = new Set([
  "sessions.rename",
  "sessions.fork",
  "sessions.choose",
  "runtime.setDefault",
  "runtime.readiness",
  "turns.stop",
  "turns.undo",
  "turns.redo",
  "processes.end",
  "tools.switch",
  "mcp.approve",
  "approvals.revoke",
]);

export function fakeHost({
  sessions = [listed(here)],
  status = {},
  ready,
  over = {},
}: FakeOptions = {}): FakeHost {
  const calls: string[] = [];
  const answers: Partial<Handlers> = {
    ...fakeAnswers(sessions),
    "host.status": async () => ({ ...fakeStatus(status), ...status }),
    "runtime.readiness": async () => ready ?? { ok: true, detail: "codex-cli 0.166.0 at /bin/codex" },
    ...over,
  };
  return {
    calls,
    call(name, input) {
      if (noted.has(name) && over[name] === undefined) calls.push(`${name} ${JSON.stringify(input)}`);
      const answer = answers[name] as ((input: unknown) => ReturnType<Calls[typeof name]>) | undefined;
      if (answer === undefined) throw new Error(`nobody answers ${name} here`);
      return answer(input);
    },
  };
}

const fakeStatus = ({ runtime }: Partial<HostStatus>): HostStatus => ({
  version: "1.2.3",
  home: "/home/ada/.talaria",
  profile: "default",
  model: "big",
  provider: "mine",
  models: ["big", "small"],
  priced: ["big"],
  runtime: "loop",
  runtimeSetting: runtime ?? "loop",
  knownRuntime: runtime ?? "loop",
  display: { busyInput: "queue", bell: true, reasoning: "fold" },
  warnings: [],
});

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
  host: Client = fakeHost(),
  from: CommandCall = call,
): Promise<CommandReply> => await dispatch(line, from, host);

/** An operation that always fails like this. */
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

const grant = { id: "grn_1", scope: "always", summary: "make test" };

function fakeAnswers(rows: readonly ListedSession[]): Partial<Handlers> {
  const undone = { turns: [{ id: turn, input: text("second") }], changes: 0 };
  const switched = { changed: [], file: "/home/ada/.talaria/config.yaml", ignoredByCodex: [] };
  return {
    "sessions.list": async ({ limit }) => rows.slice(0, limit),
    "sessions.get": async ({ session }) => {
      const found = rows.find((row) => row.id.startsWith(session));
      if (found === undefined) throw new Error(`no session ${session}`);
      return found;
    },
    "sessions.rename": async () => null,
    "sessions.messages": async () => [],
    "sessions.count": async () => ({ turns: 0, messages: 0, takenBack: 0 }),
    "sessions.compress": async ({ asked }) => JSON.stringify(asked),
    "sessions.choose": async () => null,
    "sessions.fork": async () => listed("ses_fork000001"),
    "sessions.context": async () => ({ runtime: "loop", lines: [] }),
    "inputs.waiting": async () => [],
    "inputs.setAside": async () => [],
    "turns.stop": async () => ({ interrupted: true, setAside: 0, ended: [] }),
    "turns.undo": async () => undone,
    "turns.redo": async () => undone,
    "processes.list": async () => [],
    "processes.end": async () => [],
    "tasks.list": async () => [],
    async *"doctor.look"() {
      yield { check: { name: "store", ok: true, detail: "fine" } };
      yield { check: { name: "model", ok: false, detail: "no key", next: "set one" } };
    },
    "approvals.rules": async () => ["Everything asks."],
    "approvals.grants": async () => [grant] as never,
    "approvals.list": async () => [{ id: "apr_1", question: { summary: "rm -f x" } }] as never,
    "approvals.revoke": async () => grant as never,
    "runtime.setDefault": async () => null,
    "tools.list": async () => [],
    "tools.switch": async () => switched,
    "diff.show": async (of) => ({ text: JSON.stringify(of) }),
    "mcp.list": async () => [],
    "mcp.approve": async () => null,
    "mcp.restart": failing(new Error("none")),
    "recordings.list": async ({ limit }) =>
      [
        { file: "/r/trn_2.jsonl", at: 120_000 },
        { file: "/r/trn_1.jsonl", at: 60_000 },
      ].slice(0, limit),
    "recordings.replay": async ({ file }) => [`replay of ${file}`, "2 frames"],
    "skills.read": async () => null,
    "skills.list": async () => [],
    "codex.migrate": async () => nothingToMigrate,
    "codex.plugins": async () => [],
    "usage.report": async () => ({ total: spent, days: [], models: [], causes: [], roles: [], budgets: [] }),
  };
}
