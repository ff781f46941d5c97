import { z } from "zod";
import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { cutEnd } from "../cut-middle.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type ApprovalRequest, type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import type { Background, BackgroundProcess } from "./background.ts";
import { bytesAsText, exitCodeOf, maxOutputChars } from "./command-result.ts";

const maxWait = 60;

const schema = z.object({
  action: z.enum(["list", "poll", "input", "kill"]),
  id: z.string().optional().describe("Which process; not for list"),
  text: z
    .string()
    .max(100_000)
    .optional()
    .describe("For input: written as it is, so end a line with \\n. Left out, the input is closed"),
  wait_s: z.int().min(0).max(maxWait).optional().describe("For poll: wait so long for its end"),
});
type Args = z.infer<typeof schema>;

/** What the model can do with the processes that `terminal` left in the background of its session. */
export const processTool = (background: Background, clock: Clock): Tool<typeof schema> => ({
  name: "process",
  toolset: "terminal",
  description:
    "The background processes that terminal started in this session. list: all of them; poll: new output since the last poll, and whether it ended; input: writes to it; kill: ends it.",
  schema,
  effect: "local",
  timeoutMs: (maxWait + 30) * 1000,
  maxOutputChars,

  asks: async (args, context) => asked(args, find(background, context.session, args.id), context),

  async run(args, { session, signal, progress }) {
    if (args.action === "list") return { ok: true, output: listText(background.of(session), clock) };
    const process = find(background, session, args.id);
    if (process === undefined) return failed(noSuchProcess(background, session, args.id));
    switch (args.action) {
      case "poll": {
        const unwatch = process.watch(bytesAsText(progress));
        await withinTime((args.wait_s ?? 0) * 1000, clock, signal, () => process.over).finally(unwatch);
        break;
      }
      case "input":
        return write(process, args.text);
      case "kill":
        await process.child.kill();
        await process.over;
    }
    const text = `${stateText(process, clock)}\n${process.output.take()}`.trimEnd();
    if (process.exit() !== undefined) background.forget(process);
    return { ok: true, output: text };
  },
});

/** To look and to end what oneself started changes nothing; what a shell reads is a command like any other. */
function asked(
  { action, text }: Args,
  process: BackgroundProcess | undefined,
  { cwd }: ToolContext,
): ApprovalRequest {
  if (action !== "input" || process === undefined || text === undefined) {
    const about = { effect: "none", action: { kind: "tool" }, summary: `process ${action}`, cwd } as const;
    return action === "list" || action === "poll" ? about : { ...about, lasting: true };
  }
  return {
    effect: "local",
    action: { kind: "command", command: text, fence: process.fence },
    summary: `type into ${process.id} (${cutEnd(process.command, 80)}): ${text}`,
    reason: `It is the input of a background process that runs ${process.fence === "sandbox" ? "in the sandbox" : "outside the sandbox"}: ${process.command}`,
    cwd: process.cwd,
  };
}

const find = (
  background: Background,
  session: SessionId,
  id: string | undefined,
): BackgroundProcess | undefined => background.of(session).find((process) => process.id === id);

function noSuchProcess(background: Background, session: SessionId, id: string | undefined): string {
  const ids = background.of(session).map((process) => process.id);
  const there = ids.length === 0 ? "There is none." : `There are: ${ids.join(", ")}.`;
  return id === undefined
    ? `Say which process, as id. ${there}`
    : `There is no process "${cutEnd(id, 40)}" in this session. ${there}`;
}

const listText = (processes: readonly BackgroundProcess[], clock: Clock): string =>
  processes.map((process) => `${stateText(process, clock)} ${cutEnd(process.command, 200)}`).join("\n") ||
  "No background process in this session.";

function stateText(process: BackgroundProcess, clock: Clock): string {
  const { id, startedAt } = process;
  const exit = process.exit();
  if (exit === undefined)
    return `[${id} has been running for ${Math.round((clock.monotonic() - startedAt) / 1000)} s]`;
  return exit.signal === null
    ? `[${id} ended, exit ${exitCodeOf(exit)}]`
    : `[${id} was ended by ${exit.signal}]`;
}

async function write({ id, child }: BackgroundProcess, text: string | undefined): Promise<ToolResult> {
  if (text === undefined) {
    return child.closeInput()
      ? { ok: true, output: `The input of ${id} is closed.` }
      : failed(`The input of ${id} was closed before.`);
  }
  try {
    await child.write(text);
    return { ok: true, output: `Written to ${id}.` };
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) };
  }
}
