import { counted, short } from "../../core/plain-text.ts";
import { tokensText } from "../../core/usage.ts";
import type { ToolContext, ToolResult } from "../../tools/tool.ts";
import type { Delegation } from "./delegation.ts";
import type { TaskResult, Task } from "./task.ts";

/** Longer answers are cut; the rest stays in the sessions of the tasks. */
export const longestReport = 24_000;

/** What the model that handed the tasks on reads of them. */
export function report(results: readonly TaskResult[]): string {
  const frames = results.map((result, at) => ({
    head: headOf(result, at + 1, results.length),
    foot: footOf(result),
  }));
  const between = "\n\n";
  const used = frames.reduce((sum, { head, foot }) => sum + head.length + foot.length + noteRoom, 0);
  const rooms = shares(
    results.map(({ text }) => text.length),
    longestReport - used - between.length * results.length,
  );
  return results
    .map((result, at) => {
      const { head = "", foot = "" } = frames[at] ?? {};
      return `${head}\n${cut(result, rooms[at] ?? 0)}${foot}`;
    })
    .join(between);
}

/** For what stands below a text that was cut, and for line breaks. */
const noteRoom = 160;

function headOf(result: TaskResult, at: number, of: number): string {
  const { end, runtime, calls, tokens, session } = result;
  const why = result.why?.slice(0, longestWhy) ?? "";
  const where = session === undefined ? "never begun" : `session ${session}`;
  const facts = `${runtime}, ${counted(calls, "call")}, ${tokensText(tokens)} tokens, ${where}`;
  const head = `Task ${at} of ${of}:`;
  if (end === "done") return `${head} done (${facts}).`;
  if (end === "unconfirmed") return `${head} ${why} (${facts}).`;
  if (end === "stopped") return `${head} ${why} (${facts}). ${soFar}`;
  return `${head} failed (${facts}). ${why} ${soFar}`;
}

const soFar = "What it had said so far:";

const longestWhy = 500;
const mostNotices = 3;
const longestNotice = 250;

const footOf = ({ notices }: TaskResult): string =>
  notices
    .slice(0, mostNotices)
    .map((text) => `\n[note: ${short(text, longestNotice)}]`)
    .join("");

function cut({ text, session }: TaskResult, room: number): string {
  if (text.trim() === "") return "(nothing)";
  if (text.length <= room) return text;
  const shown = text.slice(0, room).replace(/[\uD800-\uDBFF]$/, "");
  const rest = `${text.length - shown.length} characters left out`;
  return `${shown}\n[${rest}; session_search with session_id ${session} reads them]`;
}

/** How much each one gets: what a short one does not need is there for the long ones. */
function shares(lengths: readonly number[], total: number): readonly number[] {
  const given = lengths.map(() => 0);
  const order = [...lengths.keys()].toSorted((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  let left = total;
  for (const [done, at] of order.entries()) {
    const share = Math.min(lengths[at] ?? 0, Math.floor(left / (order.length - done)));
    given[at] = share;
    left -= share;
  }
  return given;
}

/** What `delegate_task` does with its tasks. */
export const delegateTaskRunner = ({ run }: Pick<Delegation, "run">) => ({
  maxOutputChars: longestReport,
  async handOn(tasks: readonly Task[], from: ToolContext): Promise<ToolResult> {
    const results = await run(tasks, from);
    return { ok: results.some(({ end }) => end === "done"), output: report(results) };
  },
});
