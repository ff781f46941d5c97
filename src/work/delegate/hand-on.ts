import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import type { Delegation } from "./delegation.ts";
import { longestReport, report } from "./report.ts";
import type { Task } from "./task.ts";

/** What `delegate_task` does with its tasks. */
export const handsOn = ({ run }: Pick<Delegation, "run">) => ({
  maxOutputChars: longestReport,
  async handOn(tasks: readonly Task[], from: ToolContext): Promise<ToolResult> {
    const results = await run(tasks, from);
    return { ok: results.some(({ end }) => end === "done"), output: report(results) };
  },
});
