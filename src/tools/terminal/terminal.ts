import { z } from "zod";
import type { Action } from "../../core/asking.ts";
import type { AllowedCommand, CheckResult } from "../../core/goal.ts";
import type { Json } from "../../core/json.ts";
import type { Child } from "../../lib/process/child.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type Tool, type ToolContext, type ToolResult, failed } from "../tool.ts";
import {
  type RunningCommands,
  type Background,
  type BackgroundProcess,
  backgroundProcesses,
  runningCommands,
} from "./background.ts";
import { cappedOutput } from "./capped-output.ts";
import { bytesAsText, endedResult, maxOutputChars, outputLimits, withNotes } from "./command-result.ts";
import { processTool } from "./process.ts";
import { scratchFolders, type ShellPlan, type ShellDeps, planShell, startShell } from "./shell.ts";

const defaultSeconds = 120;
const maxSeconds = 600;
/** A background process that ends this soon is told as one that ended. */
const earlyMs = 300;

const schema = z.object({
  command: z.string().min(1).max(100_000).describe("For bash -c"),
  cwd: z.string().min(1).optional().describe("Where to run it: inside the working folder, or absolute"),
  timeout_s: z.int().min(1).max(maxSeconds).optional().describe(`Default ${defaultSeconds}`),
  background: z.boolean().optional().describe("Let it go on after this call; see the tool process"),
  escalate: z.boolean().optional().describe("Run it outside the sandbox. The person is asked"),
  reason: z.string().max(2000).optional().describe("For the person: why it is needed"),
});
type Args = z.infer<typeof schema>;

export type TerminalOptions = Omit<ShellDeps, "scratch">;

/** The tools that run commands. Disposing ends whatever they started. */
export type TerminalTools = AsyncDisposable &
  RunningCommands & {
    readonly tools: readonly Tool[];
    /** Runs what its owner has allowed beforehand, in the sandbox. `refused`: why it was not run to its end. */
    check(check: AllowedCommand, signal: AbortSignal): Promise<CheckResult>;
  };

export function terminalTools(options: TerminalOptions): TerminalTools {
  const parts = new AsyncDisposableStack();
  const deps: ShellDeps = { ...options, scratch: parts.use(scratchFolders()) };
  const background = parts.use(backgroundProcesses(options));
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const execute: Execute = (plan, args, context) => {
    const signal = AbortSignal.any([context.signal, closing.signal]);
    const inner = { ...context, signal };
    const run =
      args.background === true
        ? runInBackground(plan, deps, background, inner)
        : runInForeground(plan, args, deps, inner);
    running.add(run);
    void run.catch(() => {}).finally(() => running.delete(run));
    return run;
  };
  return {
    tools: [terminalTool(deps, execute) as Tool, processTool(background, options.clock) as Tool],
    ...runningCommands(background, options.clock),
    check: (wanted, signal) => runCheck(wanted, deps, AbortSignal.any([signal, closing.signal])),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("Talaria is being closed"));
      await Promise.allSettled(running);
      await parts.disposeAsync();
    },
  };
}

type Execute = (plan: ShellPlan, args: Args, context: ToolContext) => Promise<ToolResult>;

function terminalTool(deps: ShellDeps, execute: Execute): Tool<typeof schema> {
  return {
    name: "terminal",
    toolset: "terminal",
    description: description(deps),
    schema,
    effect: "local",
    // Its own limit comes first, and what it has to end takes a while.
    timeoutMs: (maxSeconds + 30) * 1000,
    maxOutputChars,
    inOrder: true,

    async asks(args, context) {
      const plan = await planShell(args, context, deps);
      if ("refused" in plan) return plan;
      const { command, cwd } = plan;
      // What is said for an action is not part of it: another reason is no other action.
      const { reason: given, ...exactly } = args;
      const reason = [given, "unsandboxed" in plan ? plan.unsandboxed : undefined].filter(Boolean).join("\n");
      return {
        effect: "local",
        args: exactly as Json,
        action: { kind: "command", command, fence: fenceOf(plan) },
        summary: command,
        cwd,
        ...(reason === "" ? {} : { reason }),
        run: (inner) => execute(plan, args, inner),
      };
    },

    async run(args, context) {
      const plan = await planShell(args, context, deps);
      return "refused" in plan ? failed(plan.refused) : execute(plan, args, context);
    },
  };
}

function description({ securityMode, network }: ShellDeps): string {
  const run =
    "Run a command with bash and wait for its end. Its input is empty; what it leaves running is ended with it.";
  if (securityMode === "unrestricted") return run;
  const writes = securityMode === "auto" ? "write the working folder (not .git) and /tmp" : "write nothing";
  return `${run} It runs in a sandbox where there is one: it can read, ${writes}, and ${network ? "use" : "not use"} the network. If that stops it, call again with escalate and a reason.`;
}

const fenceOf = (plan: ShellPlan): Extract<Action, { kind: "command" }>["fence"] =>
  "sandbox" in plan ? "sandbox" : "none";

async function runCheck(
  { command, cwd, session }: AllowedCommand,
  deps: ShellDeps,
  signal: AbortSignal,
): Promise<CheckResult> {
  const plan = await planShell({ command }, { session, cwd }, deps);
  if ("refused" in plan) return plan;
  if ("unsandboxed" in plan && deps.securityMode !== "unrestricted") return { refused: plan.unsandboxed };
  const args = { command, timeout_s: maxSeconds };
  const { exitCode, output } = await runInForeground(plan, args, deps, { signal, clock: deps.clock });
  return exitCode === undefined ? { refused: output } : { exitCode, output };
}

async function runInForeground(
  plan: ShellPlan,
  args: Args,
  deps: ShellDeps,
  context: Pick<ToolContext, "signal" | "clock" | "progress">,
): Promise<ToolResult> {
  const seconds = args.timeout_s ?? defaultSeconds;
  const { signal, clock, progress } = context;
  await using child = await startShell(plan, deps, signal);
  child.closeInput();
  const output = cappedOutput(outputLimits, deps.redact);
  const ran = await withinTime(seconds * 1000, clock, signal, () =>
    readToEnd(child, [output.add, bytesAsText(progress)]),
  );
  output.end();
  if (ran.end === "done") return endedResult(ran.value, output.text(), "sandbox" in plan);
  const ended = ran.end === "late" ? `it did not end within ${seconds} s` : "the turn was stopped";
  const note = `[${ended}, so it was ended with everything it had started]`;
  return { ok: false, output: withNotes(output.text(), [note]) };
}

async function readToEnd(
  child: Child,
  readers: readonly ((chunk: Uint8Array) => void)[],
): Promise<Awaited<Child["exited"]>> {
  for await (const chunk of child.stdout) for (const read of readers) read(chunk);
  return child.exited;
}

async function runInBackground(
  plan: ShellPlan,
  deps: ShellDeps,
  background: Background,
  { signal, clock }: ToolContext,
): Promise<ToolResult> {
  const { session, command, cwd } = plan;
  const about = { session, command, cwd, fence: fenceOf(plan) };
  const process = await background.start(about, () => startShell(plan, deps));
  if (typeof process === "string") return failed(process);
  const early = await withinTime(earlyMs, clock, signal, () => process.over);
  if (early.end === "late") return { ok: true, output: startedText(process) };
  if (early.end === "stopped") await process.child.kill();
  const exit = await process.child.exited;
  background.forget(process);
  return endedResult(exit, process.output.take(), "sandbox" in plan);
}

const startedText = ({ id, output }: BackgroundProcess): string =>
  `Runs in the background as ${id}. Read its output with the tool process.\n${output.take()}`.trimEnd();
