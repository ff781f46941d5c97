import type { z } from "zod";
import type { CallHead } from "../core/items.ts";
import { stableJson } from "../core/json.ts";
import { type Lanes, lanes } from "../lib/lanes.ts";
import { cutEnd, cutMiddle } from "./cut-middle.ts";
import { toolSpec } from "./definitions.ts";
import { permission } from "./permission.ts";
import { withinTime } from "../lib/time-limit.ts";
import { toolSearch } from "./tool-search.ts";
import {
  type Tool,
  type ToolBox,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
  type TurnContext,
  failed,
} from "./tool.ts";

export type ToolBoxOptions = {
  /** A tool it says no to is switched off: neither offered nor run. */
  readonly allow?: (tool: Tool) => boolean;
  /** Masks secrets in what tools return, before it is cut. */
  readonly mask?: (text: string) => string;
};

type BoxContext = Omit<ToolContext, "signal">;
type Progress = NonNullable<ToolContext["progress"]>;

/**
 * The tools of one turn. A call checks the arguments, asks for permission unless the tool has no side effect, runs it
 * within its time, and cuts what comes back. Whatever goes wrong on the way is an answer for the model.
 */
export function toolBox(tools: readonly Tool[], turn: TurnContext, options: ToolBoxOptions = {}): ToolBox {
  const context: BoxContext = { ...turn, mask: options.mask ?? ((text) => text) };
  const known = byName(tools);
  const enabled = [...known.values()].filter((tool) => options.allow?.(tool) ?? true);
  const usable = usableTools(enabled);
  const callable = new Map([...enabled, ...usable].map((tool) => [tool.name, tool]));
  const specs = usable.map(toolSpec);
  const queue = lanes<"in order">();
  return {
    specs,
    enabled: enabled.map(({ name }) => name),
    async call(name, args, signal, progress, head) {
      const tool = callable.get(name);
      if (tool === undefined) return failed(known.has(name) ? switchedOff(name) : noSuchTool(name, specs));
      using shown = progressWhileRunning(progress);
      try {
        const inner = { ...context, ...shown.progress, ...callIdentity(head, context) };
        return await checkedCall(tool, args, inner, signal, queue);
      } catch (error) {
        return signal.aborted ? interrupted : failed(`${tool.name} failed: ${messageOf(error)}`);
      }
    },
  };
}

/** Which call of which turn it is, for the record that is written before it starts. */
function callIdentity(head: CallHead | undefined, context: BoxContext): Pick<ToolContext, "call"> {
  const { session, turn, epoch } = context;
  return head === undefined || epoch === undefined ? {} : { call: { ...head, session, turn, epoch } };
}

/** What of these can be used here, and a way to find what of it is deferred. */
export function usableTools(tools: readonly Tool[]): readonly Tool[] {
  const usable = tools.filter((tool) => whyUnavailable(tool) === undefined);
  const deferred = usable.filter((tool) => tool.deferred === true);
  const missing = tools.flatMap((tool) => {
    const why = tool.deferred === true ? whyUnavailable(tool) : undefined;
    return why === undefined ? [] : [{ tool, why }];
  });
  return deferred.length === 0 ? usable : [...usable, toolSearch(deferred, missing) as Tool];
}

/** A watcher that throws cannot disturb the tool, and sees nothing of a tool that goes on after it was told to stop. */
function progressWhileRunning(
  tell: Progress | undefined,
): Disposable & { readonly progress?: Pick<ToolContext, "progress"> } {
  let isOver = false;
  const progress: Progress = (text) => {
    if (isOver) return;
    try {
      tell?.(text);
    } catch {
      // The result says it all.
    }
  };
  return {
    ...(tell === undefined ? {} : { progress: { progress } }),
    [Symbol.dispose]() {
      isOver = true;
    },
  };
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(tool.name)) {
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
  queue: Lanes<"in order">,
): Promise<ToolResult> {
  const unavailable = whyUnavailable(tool);
  if (unavailable !== undefined) return failed(`${tool.name} cannot be used here: ${unavailable}`);
  const parsed = tool.schema.safeParse(args ?? {});
  if (!parsed.success) return failed(badArguments(tool, parsed.error.issues));
  const permittedRun = async (): Promise<ToolResult> => {
    if (signal.aborted) return interrupted;
    const allowed = await permission(tool, parsed.data, { ...context, signal });
    if (signal.aborted) return interrupted;
    return "denied" in allowed ? failed(allowed.denied) : timeLimitedRun(tool, allowed.run, context, signal);
  };
  return tool.inOrder === true ? queue.run("in order", permittedRun) : permittedRun();
}

/** A check that throws counts as unavailable. */
export function whyUnavailable(tool: Tool): string | undefined {
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

async function timeLimitedRun(
  tool: Tool,
  run: (context: ToolContext) => Promise<ToolResult>,
  context: BoxContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const ran = await withinTime(tool.timeoutMs, context.clock, signal, async (inner) =>
    run({ ...context, signal: inner }),
  );
  if (ran.end === "late") return failed(tooSlow(tool));
  if (ran.end === "stopped") return interrupted;
  return { ...ran.value, output: cutMiddle(context.mask(ran.value.output), tool.maxOutputChars) };
}

function tooSlow(tool: Tool): string {
  const late = `${tool.name} did not finish within ${tool.timeoutMs / 1000} s and was told to stop.`;
  return tool.effect === "none" ? late : `${late} Part of what it does may have happened.`;
}

const noSuchTool = (name: string, specs: readonly ToolSpec[]): string =>
  `There is no tool "${cutEnd(name, 100)}". There are: ${specs.map((spec) => spec.name).join(", ") || "none"}.`;

const switchedOff = (name: string): string =>
  `${name} is switched off here and was not run. Go on without it; only the person can switch it on.`;

const interrupted: ToolResult = failed("interrupted");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
