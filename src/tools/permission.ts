import type { Decision, Question } from "../core/asking.ts";
import { type Json, stableJson } from "../core/json.ts";
import { withinTime } from "../lib/time-limit.ts";
import type { ApprovalRequest, Tool, ToolContext, ToolResult } from "./tool.ts";

/** `denied` is a sentence for the model. */
export type Permission =
  | { readonly run: (context: ToolContext) => Promise<ToolResult> }
  | { readonly denied: string };

/**
 * Asks whether a call may happen, unless it has no side effect. What is run afterwards is what was asked about. A call
 * that leaves something behind is recorded before it starts: with the approval, or by itself.
 */
export async function permission(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<Permission> {
  const plain: Permission = { run: (inner) => tool.run(args, inner) };
  if (tool.effect === "none") return recordStart(plain, tool, context);
  const asked = await approvalRequest(tool, args, context);
  if ("refused" in asked) return { denied: `${tool.name} was not run: ${asked.refused}` };
  const { run, lasting: _lasting, ...about } = asked;
  const allowed: Permission = run === undefined ? plain : { run };
  if (about.effect === "none" && about.action.kind === "tool") return recordStart(allowed, asked, context);
  const question: Question = { tool: tool.name, ...about, args: about.args ?? (args as Json) };
  const decision = await context.ask(question, context.signal, context.call);
  return decision.choice === "deny" ? { denied: `${tool.name} was not run: ${denial(decision)}` } : allowed;
}

async function recordStart(
  allowed: Permission,
  { lasting }: Pick<Tool, "lasting">,
  { begin, call }: ToolContext,
): Promise<Permission> {
  if (lasting === true && call !== undefined) await begin?.(call);
  return allowed;
}

/** A tool that cannot say what it would do does not do it. */
async function approvalRequest(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ApprovalRequest> {
  const { cwd, clock, signal } = context;
  const asks = tool.asks?.bind(tool);
  if (asks === undefined) {
    const summary = `${tool.name} ${stableJson(args)}`;
    return { cwd, effect: tool.effect, action: { kind: "tool" }, summary };
  }
  try {
    const looked = await withinTime(tool.timeoutMs, clock, signal, async (inner) =>
      asks(args, { ...context, signal: inner }),
    );
    return looked.end === "done" ? looked.value : { refused: unclear("it took too long") };
  } catch (error) {
    return { refused: unclear(error instanceof Error ? error.message : String(error)) };
  }
}

const unclear = (why: string): string =>
  `what it would do could not be worked out, so nobody was asked (${why}).`;

function denial({ why, reason }: Decision): string {
  const { alone, before = "", after = "" } = denials[why];
  return reason === undefined || reason === "" ? alone : `${before}${sentence(reason)}${after}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

type Words = { readonly alone: string; readonly before?: string; readonly after?: string };

const goOn = " Do not try to reach the same in another way; go on without it, or ask them.";

/** It always says who denied it: a model that is told that the person said no must be able to believe it. */
const denials: Readonly<Record<Decision["why"], Words>> = {
  person: { alone: `the person said no.${goOn}`, before: "the person said no: ", after: goOn },
  policy: {
    alone: "a rule of this installation does not allow it.",
    before: "a rule of this installation does not allow it: ",
  },
  grant: {
    alone: "a rule that the person made does not allow it.",
    before: "a rule that the person made does not allow it: ",
  },
  timeout: { alone: "it needs permission, and nobody answered in time." },
  not_asked: { alone: "it needs permission, and nobody was there to ask." },
  withdrawn: { alone: "it needs permission, and the question was withdrawn before anybody answered." },
};
