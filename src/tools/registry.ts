import type { z } from "zod";
import type { Decision } from "../core/asking.ts";
import { type Json, stableJson } from "../core/json.ts";
import { cutEnd, cutMiddle } from "./cut-middle.ts";
import { toolSpec } from "./definitions.ts";
import type { Tool, ToolBox, ToolContext, ToolResult, ToolSpec } from "./tool.ts";

export type ToolBoxOptions = {
  /** A tool it says no to is neither offered nor run. */
  readonly allow?: (tool: Tool) => boolean;
};

type BoxContext = Omit<ToolContext, "signal">;

/**
 * The tools of one turn. A call checks the arguments, asks for permission unless the tool has no side effect, runs it
 * within its time, and cuts what comes back. Whatever goes wrong on the way is an answer for the model.
 */
export function toolBox(tools: readonly Tool[], context: BoxContext, options: ToolBoxOptions = {}): ToolBox {
  const offered = byName(tools.filter((tool) => options.allow?.(tool) ?? true));
  const specs = [...offered.values()].filter((tool) => whyUnavailable(tool) === undefined).map(toolSpec);
  return {
    specs,
    async call(name, args, signal) {
      const tool = offered.get(name);
      if (tool === undefined) return refused(noSuchTool(name, specs));
      try {
        return await checkedCall(tool, args, context, signal);
      } catch (error) {
        return signal.aborted ? interrupted : refused(`${tool.name} failed: ${messageOf(error)}`);
      }
    },
  };
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(tool.name)) {
      throw new Error(`"${tool.name}" is not a name that every protocol takes`);
    }
    if (map.has(tool.name)) throw new Error(`two tools are called ${tool.name}`);
    map.set(tool.name, tool);
  }
  return map;
}

async function checkedCall(
  tool: Tool,
  args: unknown,
  context: BoxContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const unavailable = whyUnavailable(tool);
  if (unavailable !== undefined) return refused(`${tool.name} cannot be used here: ${unavailable}`);
  const parsed = tool.schema.safeParse(args ?? {});
  if (!parsed.success) return refused(badArguments(tool, parsed.error.issues));
  if (signal.aborted) return interrupted;
  const denied = await whyDenied(tool, parsed.data as Json, context, signal);
  if (signal.aborted) return interrupted;
  return denied === undefined ? boundedRun(tool, parsed.data, context, signal) : refused(denied);
}

/** A check that breaks cannot say that the tool works. */
function whyUnavailable(tool: Tool): string | undefined {
  try {
    return tool.unavailable?.();
  } catch (error) {
    return messageOf(error);
  }
}

function badArguments(tool: Tool, issues: readonly z.core.$ZodIssue[]): string {
  const complaints = issues.map((issue) => `- ${issue.path.join(".") || "arguments"}: ${issue.message}`);
  return [
    `${tool.name} was not run, because its arguments do not fit:`,
    ...complaints,
    `They have to match this JSON Schema: ${stableJson(toolSpec(tool).parameters)}`,
  ].join("\n");
}

async function whyDenied(
  tool: Tool,
  args: Json,
  { ask, cwd }: BoxContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (tool.effect === "none") return undefined;
  const summary = `${tool.name} ${stableJson(args)}`;
  const decision = await ask({ tool: tool.name, args, cwd, effect: tool.effect, summary }, signal);
  return decision.choice === "deny" ? `${tool.name} was not run: ${denials[decision.why]}` : undefined;
}

const denials: Readonly<Record<Decision["why"], string>> = {
  person: "the person said no. Do not try to reach the same in another way; go on without it, or ask them.",
  policy: "a rule of this installation does not allow it.",
  timeout: "it needs permission, and nobody answered in time.",
  not_asked: "it needs permission, and nobody was there to ask.",
  withdrawn: "it needs permission, and the question was withdrawn before anybody answered.",
};

/** Whoever ends it first, the tool, its time or Stop: afterwards the other two are told to end as well. */
async function boundedRun(
  tool: Tool,
  args: Record<string, unknown>,
  context: BoxContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const over = new AbortController();
  const inner = AbortSignal.any([signal, over.signal]);
  const time = context.clock.sleep(Math.min(tool.timeoutMs, longestSleepMs), inner, { hold: true }).then(
    () => refused(tooSlow(tool)),
    () => interrupted,
  );
  try {
    const result = await Promise.race([tool.run(args, { ...context, signal: inner }), time]);
    return { ...result, output: cutMiddle(result.output, tool.maxOutputChars) };
  } finally {
    over.abort(new Error(`${tool.name} is over`));
  }
}

/** Timers that are set for longer end at once. */
const longestSleepMs = 2 ** 31 - 1;

function tooSlow(tool: Tool): string {
  const said = `${tool.name} did not finish within ${tool.timeoutMs / 1000} s and was told to stop.`;
  return tool.effect === "none" ? said : `${said} Part of what it does may have happened.`;
}

const noSuchTool = (name: string, specs: readonly ToolSpec[]): string =>
  `There is no tool "${cutEnd(name, 100)}". There are: ${specs.map((spec) => spec.name).join(", ") || "none"}.`;

const refused = (output: string): ToolResult => ({ ok: false, output });

const interrupted: ToolResult = refused("interrupted");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
