import type { TurnEvent } from "../../core/events.ts";
import { type CallItem, resultText } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { Ports } from "../runtime.ts";
import type { Call } from "./answer.ts";

/** What the model is told of a call: the words that the next turn will find in its history. */
type CallResult = Pick<CallItem, "callId" | "output">;

/** Runs the calls of one answer side by side, interactive tools alone; results come back in the order of the calls. */
export async function* runCalls(
  calls: readonly Call[],
  ports: Ports,
): AsyncGenerator<TurnEvent, readonly CallResult[]> {
  for (const call of calls)
    yield { type: "begin", item: { id: call.id, kind: "call", tool: call.tool, args: argsOf(call) } };
  const alone = new Set(ports.tools.specs.filter((spec) => spec.interactive).map((spec) => spec.name));
  const together = calls
    .filter((call) => !alone.has(call.tool))
    .map((call) => [call, runCall(call, ports)] as const);
  const running = new Map(together);
  const results: CallResult[] = [];
  for (const call of calls) {
    const item = await (running.get(call) ?? afterAll([...running.values()], () => runCall(call, ports)));
    results.push({ callId: item.callId, output: resultText(item) });
    yield { type: "item", item };
  }
  return results;
}

async function afterAll<T>(others: readonly Promise<unknown>[], job: () => Promise<T>): Promise<T> {
  await Promise.all(others);
  return job();
}

async function runCall(call: Call, ports: Ports): Promise<CallItem> {
  const started = ports.clock.monotonic();
  const args = parseArgs(call.rawArgs);
  const result: ToolResult =
    args === undefined
      ? {
          ok: false,
          output: `The arguments of ${call.tool} are not valid JSON: ${call.rawArgs.slice(0, 200)}`,
        }
      : await ports.tools.call(call.tool, args, ports.signal);
  const { id, callId, tool } = call;
  return {
    id,
    kind: "call",
    callId,
    tool,
    args: argsOf(call),
    output: result.output,
    ok: result.ok,
    durationMs: Math.round(ports.clock.monotonic() - started),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.diff === undefined ? {} : { diff: result.diff }),
  };
}

/** Nothing is repaired silently: what is not JSON is shown to the model as its own words. */
const argsOf = (call: Call): Json => parseArgs(call.rawArgs) ?? call.rawArgs;

function parseArgs(raw: string): Json | undefined {
  if (raw.trim() === "") return {};
  try {
    const args = JSON.parse(raw) as Json;
    // Parsing goes deeper than writing does: what cannot be written could not be kept.
    JSON.stringify(args);
    return args;
  } catch {
    return undefined;
  }
}
