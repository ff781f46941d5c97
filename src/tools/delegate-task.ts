import { z } from "zod";
import { type Tool, type ToolContext, type ToolResult, failed } from "./tool.ts";

/** A part of a turn's work, as the model hands it on. */
export type DelegatedTask = { readonly goal: string; readonly context?: string; readonly runtime?: string };

export type DelegateSource = {
  /** Has the tasks done, each in a session of its own, and sums up what came of them. */
  readonly handOn: (tasks: readonly DelegatedTask[], context: ToolContext) => Promise<ToolResult>;
  /** Longer results are cut. */
  readonly maxOutputChars: number;
};

const part = {
  goal: z.string().trim().min(1).max(8000),
  context: z.string().max(100_000).optional(),
  runtime: z.enum(["loop", "codex"]).optional(),
};

const schema = z.object({
  goal: part.goal.optional().describe("What is to be reached, so that it can be understood alone"),
  context: part.context.describe("All that has to be known for it: paths, findings, limits"),
  runtime: part.runtime.describe("Who does it; leave it out to let the settings decide"),
  tasks: z.array(z.object(part)).min(1).max(8).optional().describe("Several tasks at once, instead of goal"),
});

/** Each task has its own time budget, which stops while a person is asked. A limit of the call would count that wait. */
const noTimeLimit = 2 ** 31 - 1;

export function delegateTool({ handOn, maxOutputChars }: DelegateSource): Tool<typeof schema> {
  return {
    name: "delegate_task",
    toolset: "delegation",
    description:
      "Hand a part of the work on to a session of its own, and wait for its summary. It starts with an empty conversation, " +
      "in the same folder, and knows only goal and context. Several tasks run side by side and must not depend on each " +
      "other. Good for long searches and for work whose details you do not need to see.",
    schema,
    // What the tasks do is asked about there.
    effect: "none",
    lasting: true,
    timeoutMs: noTimeLimit,
    maxOutputChars,
    async run({ tasks, goal, context, runtime }, from) {
      if ((goal === undefined) === (tasks === undefined)) return notDelegated("Give either goal or tasks.");
      if (tasks !== undefined && (context !== undefined || runtime !== undefined))
        return notDelegated("Give context and runtime with each of the tasks.");
      const wanted = tasks ?? [{ goal: goal ?? "", context, runtime }];
      return handOn(wanted.map(taskOf), from);
    },
  };
}

const notDelegated = (next: string): ToolResult => failed(`Nothing was handed on. ${next}`);

const taskOf = ({ goal, context, runtime }: z.infer<z.ZodObject<typeof part>>): DelegatedTask => ({
  goal,
  ...(context === undefined ? {} : { context }),
  ...(runtime === undefined ? {} : { runtime }),
});
