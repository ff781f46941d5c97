import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { after } from "node:test";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { redactor } from "../../lib/redact/redact.ts";
import { type Folders, fencedFolders, realFence } from "../../lib/sandbox/world.suite.ts";
import type { Sandbox } from "../../lib/sandbox/sandbox.ts";
import { toolBox } from "../registry.ts";
import { type TerminalOptions, terminalTools } from "./terminal.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

export const kinds = ["codex", "bubblewrap", "none"] as const;
export type Kind = (typeof kinds)[number];

/** In the environment of all that these tests start, to find what was left. */
export const childVariable = `TERMINAL_TEST_${randomUUID().replaceAll("-", "")}`;

/** One home for codex in all tests of a file, so that its fence is tried once. */
let codexHome: Promise<Folders> | undefined;
after(async () => (await codexHome)?.[Symbol.asyncDispose]());

/** The terminal tools in folders of their own. */
export async function terminalWorld(kind: Kind, more: Partial<TerminalOptions> = {}) {
  await using parts = new AsyncDisposableStack();
  const at: Folders = parts.use(await fencedFolders());
  const registered = new Map<number, string>();
  const { home } = await (codexHome ??= fencedFolders());
  const found = kind === "none" ? "this is a test without one" : await realFence(kind, home);
  const sandbox: Sandbox = typeof found === "string" ? { kind: "none", why: found } : found;
  const made = parts.use(
    terminalTools({
      sandbox: async () => sandbox,
      securityMode: "auto",
      network: false,
      env: { PATH: "/usr/bin:/bin", HOME: at.home },
      passEnv: [],
      hidden: [],
      locked: [],
      processes: {
        add: async (child) => void registered.set(child.pid, child.kind),
        remove: async (pid) => void registered.delete(pid),
      },
      childVariable,
      clock: systemClock,
      redact: redactor(),
      ...more,
    }),
  );
  const [terminal, process] = made.tools as [Tool, Tool];
  const context: ToolContext = {
    session: asId<"ses">("ses_0000000001"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: at.folder,
    signal: new AbortController().signal,
    clock: more.clock ?? systemClock,
    mask: (text) => text,
    ask: async () => ({ choice: "once", why: "person" }),
    inquire: async () => undefined,
  };
  const kept = parts.move();
  return {
    at,
    context,
    registered,
    /** Why this kind cannot be tried here. */
    missing: kind !== "none" && typeof found === "string" ? found : undefined,
    terminal,
    process,
    running: made.running,
    endRunning: made.endRunning,
    box: toolBox(made.tools, context),
    run: (args: Record<string, unknown>, other: Partial<ToolContext> = {}) =>
      terminal.run(args, { ...context, ...other }),
    tell: (args: Record<string, unknown>, other: Partial<ToolContext> = {}) =>
      process.run(args, { ...context, ...other }),
    asks: (args: Record<string, unknown>) => terminal.asks!(args, context),
    close: () => made[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The processes of these tests that are alive. */
export async function leftBehind(which = /(?:)/): Promise<readonly string[]> {
  let left: readonly string[] = [];
  // Whoever was killed is gone only when the kernel gets to it. Each look takes a while, so they are no busy loop.
  for (let looks = 0; looks < 200; looks += 1) {
    left = (await marked()).filter((line) => which.test(line));
    if (left.length === 0) break;
  }
  return left;
}

async function marked(): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [environ, line] = await Promise.all([read(pid, "environ"), read(pid, "cmdline")]);
      return environ.includes(childVariable) ? [`${pid} ${line.replaceAll("\0", " ")}`] : [];
    }),
  );
  return found.flat();
}

const read = (pid: string, file: string): Promise<string> =>
  readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
