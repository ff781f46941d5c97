import type { TurnEvent } from "../../core/events.ts";
import type { ItemId } from "../../core/ids.ts";
import { type CallHead, type CallItem, resultText } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import { deepestJson, isTooDeep } from "../../lib/rpc/json-depth.ts";
import { cutEnd } from "../../tools/cut-middle.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Ports } from "../runtime.ts";
import type { Call } from "./answer.ts";

/** Longer arguments are a model that repeats itself: no tool here wants them, and every later request would carry them. */
const maxArgsChars = 1024 * 1024;

export type CallRules = {
  /** How many of them may run. */
  readonly allowed: number;
  /** What the model is to read below a result. The last one is asked for once, when its call has finished. */
  readonly remarks: (item: CallItem, isLast: boolean) => readonly string[];
};

/**
 * What the model is told of a call: the words that the next turn will find in its history. `found`: tools that it was
 * told about.
 */
type CallResult = Pick<CallItem, "callId" | "output"> & { readonly found: readonly string[] };

type FinishedCall = { readonly item: CallItem; readonly found: readonly string[] };

/** Runs the calls of one answer side by side, interactive tools alone; results come back in the order of the calls. */
export async function* runCalls(
  calls: readonly Call[],
  ports: Ports,
  { allowed, remarks }: CallRules,
): AsyncGenerator<TurnEvent, readonly CallResult[]> {
  for (const call of calls)
    yield { type: "begin", item: { id: call.id, kind: "call", tool: call.tool, args: argsOf(call) } };
  const alone = new Set(ports.tools.specs.filter((spec) => spec.interactive).map((spec) => spec.name));
  const live = liveDeltas();
  const start = (call: Call, at: number): Promise<FinishedCall> =>
    runCall(call, ports, at < allowed ? whyNot(call) : overLimit, live.of(call.id));
  const running = new Map(
    calls.flatMap((call, at) => (alone.has(call.tool) ? [] : [[call, start(call, at)] as const])),
  );
  const results: CallResult[] = [];
  for (const [at, call] of calls.entries()) {
    const begun = running.get(call) ?? afterAll([...running.values()], () => start(call, at));
    const { item: done, found } = yield* live.until(begun);
    const item = withRemarks(done, remarks(done, at === calls.length - 1));
    results.push({ callId: item.callId, output: resultText(item), found });
    yield { type: "item", item };
  }
  return results;
}

async function afterAll<T>(others: readonly Promise<unknown>[], job: () => Promise<T>): Promise<T> {
  await Promise.all(others);
  return job();
}

async function runCall(
  call: Call,
  ports: Ports,
  refusal: string | undefined,
  progress: (text: string) => void,
): Promise<FinishedCall> {
  const started = ports.clock.monotonic();
  const { id, callId, tool } = call;
  const head: CallHead = { id, callId, tool, args: argsOf(call) };
  const result: ToolResult =
    refusal === undefined
      ? await ports.tools.call(tool, head.args, ports.signal, progress, head)
      : { ok: false, output: refusal };
  const { ok, output, exitCode, diff, found = [] } = result;
  const item: CallItem = {
    ...head,
    kind: "call",
    output,
    ok,
    durationMs: Math.round(ports.clock.monotonic() - started),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(diff === undefined ? {} : { diff }),
  };
  return { item, found };
}

function withRemarks(item: CallItem, remarks: readonly string[]): CallItem {
  if (remarks.length === 0) return item;
  return { ...item, output: [item.output, ...remarks].filter((part) => part !== "").join("\n\n") };
}

const overLimit = "This was not run: the turn has used up its tool calls.";

function whyNot({ tool, rawArgs }: Call): string | undefined {
  if (rawArgs.length > maxArgsChars)
    return `${tool} was not run: its arguments have ${rawArgs.length} characters, and ${maxArgsChars} are the most. Only their beginning was kept.`;
  if (isTooDeep(rawArgs))
    return `${tool} was not run: its arguments are nested deeper than ${deepestJson} levels. Make them flatter.`;
  if (parseArgs(rawArgs) !== undefined) return undefined;
  return `The arguments of ${tool} are not valid JSON: ${cutEnd(rawArgs, 200)}`;
}

/** Nothing is repaired silently: what is not JSON is shown to the model as its own words. */
export const argsOf = ({ rawArgs }: Call): Json =>
  rawArgs.length > maxArgsChars ? `${cutEnd(rawArgs, 200)}…` : (parseArgs(rawArgs) ?? rawArgs);

function parseArgs(raw: string): Json | undefined {
  if (raw.trim() === "") return {};
  // Parsing goes deeper than writing does: what cannot be written could not be kept.
  if (isTooDeep(raw)) return undefined;
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return undefined;
  }
}

/** What calls that run side by side write, as events between those of the calls. */
type LiveDeltas = {
  of(item: ItemId): (text: string) => void;
  /** Passes on what comes until this has settled, and all that came before. */
  until<T>(done: Promise<T>): AsyncGenerator<TurnEvent, T>;
};

function liveDeltas(): LiveDeltas {
  const came: TurnEvent[] = [];
  let wake: (() => void) | undefined;
  return {
    of: (item) => (text) => {
      came.push({ type: "delta", item, of: "output", text });
      wake?.();
    },
    async *until(done) {
      let settled = false;
      const settle = (): void => {
        settled = true;
        wake?.();
      };
      done.then(settle, settle);
      for (;;) {
        while (came.length > 0) yield came.shift() as TurnEvent;
        if (settled) return done;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
