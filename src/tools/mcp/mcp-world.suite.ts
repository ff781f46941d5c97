import { randomUUID } from "node:crypto";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "../../../test/temp-folder.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import type { Answers, Decision, Form, Question } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { toolBox } from "../registry.ts";
import type { ToolResult } from "../tool.ts";
import { type Catalogue, type CatalogueDeps, catalogue } from "./catalogue.ts";
import { mediaSaver } from "./media-files.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

/** In the environment of all that a test file starts, to find what was left. */
const childVariable = `MCP_TEST_${randomUUID().replaceAll("-", "")}`;

export type McpWorld = Awaited<ReturnType<typeof mcpWorld>>;

type Options = Partial<Pick<CatalogueDeps, "clock" | "waitMs" | "env" | "isOff">> & {
  readonly answers?: (form: Form) => Promise<Answers | undefined>;
  /** The folder of an earlier world, whose store this one opens again. */
  readonly folder?: string;
};

/** The catalogue of these servers on a real store, and calls as a model makes them. */
export async function mcpWorld(section: Json, options: Options = {}) {
  await using parts = new AsyncDisposableStack();
  const folder = options.folder ?? (await newFolder());
  if (options.folder === undefined) parts.defer(() => rm(folder, { recursive: true, force: true }));
  const { clock = systemClock } = options;
  const store = parts.use(await openTestStore(join(folder, "t.db")));
  const told = new Set<string>();
  const registered = new Map<number, string>();
  const logged: string[] = [];
  const open = (): Catalogue =>
    catalogue({
      section,
      pins: {
        list: () => store.mcpTools.list(),
        see: (server, tools) => store.mcpTools.see(server, tools, clock.now()),
      },
      save: mediaSaver(join(folder, "media")),
      wasNotified: async (text) => told.has(text) || told.add(text) === undefined,
      waitMs: options.waitMs ?? 60_000,
      isOff: options.isOff ?? (() => false),
      env: { PATH: process.env["PATH"], HOME: folder, SECRET_CANARY: "canary-of-ours", ...options.env },
      cwd: folder,
      clock,
      processes: {
        add: async ({ pid, kind }) => void registered.set(pid, kind),
        remove: async (pid) => void registered.delete(pid),
      },
      childVariable,
      redact: redactor(["sk-live-canary0123456789"]),
      version: "1",
      log: (line) => void logged.push(line),
    });
  const servers = parts.use(open());
  const asked: Question[] = [];
  const forms: Form[] = [];
  const world = {
    folder,
    store,
    servers,
    registered,
    logged,
    asked,
    forms,
    decision: { choice: "once", why: "person" } as Decision,
    ready: (signal = new AbortController().signal) => servers.ready(signal),
    names: async () => (await servers.tools()).map(({ name }) => name),
    async call(
      name: string,
      args: Record<string, unknown> = {},
      { signal = new AbortController().signal, session = "ses_0000000001", progress }: CallOptions = {},
    ): Promise<ToolResult> {
      const box = toolBox(await servers.tools(), {
        session: asId<"ses">(session),
        turn: asId<"trn">("trn_1"),
        ...ownersTurn,
        cwd: folder,
        clock,
        async ask(question) {
          asked.push(question);
          return world.decision;
        },
        async inquire(form) {
          forms.push(form);
          return options.answers?.(form);
        },
      });
      return box.call(name, args, signal, progress);
    },
    /** Command lines of what still runs. */
    left,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  const kept = parts.move();
  return world;
}

type CallOptions = {
  readonly signal?: AbortSignal;
  readonly session?: string;
  readonly progress?: (text: string) => void;
};

/** Time that only passes in long waits when a test says so; short ones are real, as the programs are. */
export function longWaits(): Clock & { readonly advance: (ms: number) => Promise<void> } {
  const fake = fakeClock();
  return {
    ...fake,
    sleep: (ms, signal, how) => (ms < 5_000 ? systemClock : fake).sleep(ms, signal, how),
  };
}

export async function left(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const [environment, line] = await Promise.all(
        ["environ", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      return environment?.includes(childVariable) === true ? [`${pid} ${line?.replaceAll("\0", " ")}`] : [];
    }),
  );
  return lines.flat();
}

/**
 * Resolves when it is true. What is waited for is done by another process, so that nobody can tell us; what does not come
 * is an error, or the test would wait for ever.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + 30_000;
  while (!(await isSo())) {
    if (systemClock.monotonic() > end) throw new Error(`it has not come true: ${isSo}`);
    await systemClock.sleep(5);
  }
}

/** The one piece of text in a fence. */
export const inFence = (output: string): string =>
  /----- begin of outside text \w+ -----\n([\s\S]*)\n----- end of outside text/.exec(output)?.[1] ?? "";
