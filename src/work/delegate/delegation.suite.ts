import { type Script, aborted, scriptedRuntime } from "../../../test/fakes/scripted-runtime.ts";
import { type TestAgent, type TestHome, input, sessionOf, testHome } from "../../../test/fakes/test-agent.ts";
import type { AgentDeps, Asking, AskingTurn } from "../../agent/index.ts";
import type { EndedEnvelope } from "../../core/events.ts";
import type { TurnChoices } from "../../core/host.ts";
import { type SessionId, asId } from "../../core/ids.ts";
import { userMessage, messageText } from "../../core/messages.ts";
import type { Runtime, Turn } from "../../runtimes/runtime.ts";
import { delegateTool } from "../../tools/delegate-task.ts";
import { toolBox } from "../../tools/registry.ts";
import type { Tool, ToolResult } from "../../tools/tool.ts";
import { type Allowance, allowance } from "../budget/allowance.ts";
import { type Delegation, type LiveTasks, delegation, liveTasks } from "./delegation.ts";
import { delegateTaskRunner } from "./report.ts";
import type { TaskSettings } from "./task.ts";

/** A real agent whose turns hand tasks on. The words of a task say which script plays it. */
export type TaskWorld = AsyncDisposable & {
  readonly home: TestHome;
  readonly agent: TestAgent;
  readonly tasks: LiveTasks;
  readonly run: Delegation["run"];
  /** What the call wrote while it ran. */
  readonly lines: readonly string[];
  /** Sends a message whose turn makes this call; `result` is what the model is told. */
  handOn(args: unknown, choices?: TurnChoices): Promise<HandedOn>;
};

export type HandedOn = {
  readonly session: SessionId;
  readonly result: Promise<ToolResult>;
  readonly ended: Promise<EndedEnvelope | undefined>;
};

type Options = {
  readonly settings?: Partial<TaskSettings>;
  readonly asking?: (turn: AskingTurn) => Asking;
  readonly deps?: Partial<AgentDeps>;
};

export const nobody: Asking = {
  ask: async () => ({ choice: "deny", why: "not_asked" }),
  inquire: async () => undefined,
};

export async function taskWorld(
  scripts: Readonly<Record<string, Script>>,
  { settings = {}, asking = () => nobody, deps = {} }: Options = {},
): Promise<TaskWorld> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await testHome());
  const lines: string[] = [];
  const results = new Map<SessionId, PromiseWithResolvers<ToolResult>>();
  const play: Script = async function* (turn, ports) {
    const found = scriptOf(scripts, turn);
    if (found !== undefined) return yield* found(turn, ports);
    const args: unknown = JSON.parse(wordsOf(turn));
    const result = await ports.tools.call("delegate_task", args, ports.signal, (text) => lines.push(text));
    results.get(turn.session)?.resolve(result);
    const outcome = ports.signal.aborted ? "interrupted" : "done";
    yield { type: "ended", outcome, text: result.output, calls: 1 };
  };
  const tasks = liveTasks(home.clock);
  const tools: Tool[] = [];
  const named = (name: string): Runtime => ({ ...scriptedRuntime(play), name });
  const agent = await home.open(named("scripted"), {
    runtimes: { scripted: named("scripted"), loop: named("loop"), codex: named("codex") },
    toolBox: async (context) => toolBox(tools, context),
    asking: (turn) => tasks.asking(turn.session) ?? asking(turn),
    endTurnWork: tasks.settled,
    ...deps,
  });
  const handing = delegation({
    agent,
    live: tasks,
    sessions: home.disk.sessions,
    settings: { maxConcurrent: 3, maxMs: 600_000, budget: { tokens: 5000 }, ...settings },
    defaultRuntime: "scripted",
    redact: (text) => text.replaceAll("hunter2", "•••"),
    allowance: counting(home),
    clock: home.clock,
  });
  tools.push(delegateTool(delegateTaskRunner(handing)) as Tool);
  const kept = parts.move();
  return {
    home,
    agent,
    tasks,
    run: handing.run,
    lines,
    async handOn(args, choices = {}) {
      const incoming = input(JSON.stringify(args), { attended: "ask", choices });
      const session = sessionOf(incoming);
      const told = Promise.withResolvers<ToolResult>();
      results.set(session, told);
      const { ended } = await agent.send(incoming);
      return { session, result: told.promise, ended };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Within budgets that are never full. */
export const counting = ({ disk, clock }: TestHome): Allowance =>
  allowance({
    store: disk,
    settings: { budget: { day: {}, origins: {}, job: {} }, zone: "UTC", run: {} },
    clock,
  });

/** Says something, tells that it has begun, and works until it is stopped. */
export function endless(words = "So far."): { readonly script: Script; readonly begun: Promise<unknown> } {
  const begun = Promise.withResolvers<void>();
  return {
    begun: begun.promise,
    script: async function* (turn, { signal }) {
      const id = asId<"itm">(`${turn.id}_0`);
      yield { type: "item", item: { id, kind: "text", text: words, phase: "commentary" } };
      begun.resolve();
      await aborted(signal);
      yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    },
  };
}

export const wordsOf = ({ input: parts }: Turn): string => messageText(userMessage(parts));

const scriptOf = (scripts: Readonly<Record<string, Script>>, turn: Turn): Script | undefined => {
  const task = /\nThe task:\n(.*)\n/.exec(wordsOf(turn))?.[1];
  return task === undefined ? undefined : scripts[task];
};
