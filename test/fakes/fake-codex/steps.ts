import { playExec, playPatch, showDiff, type ToolEnd } from "./commands.ts";
import { agentMessage, reasoning } from "./items.ts";
import type { Failure, Step } from "./script.ts";
import { completeItem, keep, orStopped, setStatus, type Stage, startItem, threadAndTurn } from "./stage.ts";
import type { Item, Usage } from "./thread-log.ts";
import { playDynamicTool, playElicit, playMcp, playPermissions, playUserInput } from "./tool-calls.ts";

/**
 * What a step did: `words` belong to a model response that goes on, a tool ends it. `idle`: neither. `steered`: it was
 * cut short by new words.
 */
export type StepEnd =
  | { readonly kind: "words" | "idle" | "steered" | "stopped" | "usage" }
  | { readonly kind: "tool"; readonly end: ToolEnd }
  | { readonly kind: "failed"; readonly error: object };

export async function playStep(stage: Stage, step: Step): Promise<StepEnd> {
  if ("agent" in step) return playAgent(stage, step);
  if ("reasoning" in step) return playReasoning(stage, step);
  if ("exec" in step) return tool(playExec(stage, step.exec));
  if ("patch" in step) return tool(playPatch(stage, step.patch));
  if ("dynamicTool" in step) return tool(playDynamicTool(stage, step.dynamicTool));
  if ("mcp" in step) return tool(playMcp(stage, step.mcp));
  if ("elicit" in step) return tool(playElicit(stage, step.elicit));
  if ("permissions" in step) return tool(playPermissions(stage, step.permissions));
  if ("userInput" in step) return tool(playUserInput(stage, step.userInput));
  if ("parallel" in step) return playParallel(stage, step.parallel);
  if ("sleep" in step) return held(stage, stage.clock.sleep(step.sleep, undefined, { hold: true }));
  if ("silence" in step) return held(stage, new Promise<void>(() => {}));
  if ("fail" in step) return playFailure(stage, step.fail);
  if ("notify" in step) {
    await stage.notify(step.notify.method, { ...threadAndTurn(stage), ...step.notify.params });
    return { kind: "idle" };
  }
  if ("unknownItem" in step) {
    const item: Item = { id: stage.ids.short("itm"), ...step.unknownItem };
    await completeItem(stage, item, await startItem(stage, item));
    return { kind: "words" };
  }
  await showUsage(stage, step.usage);
  return { kind: "usage" };
}

const tool = async (end: Promise<ToolEnd>): Promise<StepEnd> => ({ kind: "tool", end: await end });

async function playAgent(stage: Stage, step: Extract<Step, { agent: string }>): Promise<StepEnd> {
  const id = stage.ids.short("msg");
  const phase = step.phase ?? null;
  const startedAtMs = await startItem(stage, agentMessage(id, "", phase));
  for (const delta of inPieces(step.agent))
    await stage.notify("item/agentMessage/delta", { ...threadAndTurn(stage), itemId: id, delta });
  if (step.hang === true) return held(stage, new Promise<void>(() => {}));
  await completeItem(stage, agentMessage(id, step.agent, phase), startedAtMs);
  return { kind: "words" };
}

async function playReasoning(stage: Stage, step: Extract<Step, { reasoning: unknown }>): Promise<StepEnd> {
  const id = stage.ids.short("rs");
  const summary = [step.reasoning].flat();
  const place = { ...threadAndTurn(stage), itemId: id };
  const startedAtMs = await startItem(stage, reasoning(id, [], []));
  for (const [summaryIndex, text] of summary.entries()) {
    await stage.notify("item/reasoning/summaryPartAdded", { ...place, summaryIndex });
    for (const delta of inPieces(text))
      await stage.notify("item/reasoning/summaryTextDelta", { ...place, delta, summaryIndex });
  }
  const content = step.raw === undefined ? [] : [step.raw];
  for (const [contentIndex, text] of content.entries())
    for (const delta of inPieces(text))
      await stage.notify("item/reasoning/textDelta", { ...place, delta, contentIndex });
  await completeItem(stage, reasoning(id, summary, content), startedAtMs);
  return { kind: "words" };
}

async function playParallel(stage: Stage, steps: readonly Step[]): Promise<StepEnd> {
  const ends = await Promise.all(steps.map((step) => playStep(stage, step)));
  return ends.find((end) => end.kind === "tool" && end.end !== "done") ?? ends[0] ?? { kind: "idle" };
}

/** The model is silent: new words or an interruption cut that short. */
async function held(stage: Stage, wait: Promise<void>): Promise<StepEnd> {
  const over = Promise.race([
    wait.then(() => "words" as const),
    stage.steered().then(() => "steered" as const),
  ]);
  return { kind: (await orStopped(stage, over)) ?? "stopped" };
}

const withStatus = [
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
];

async function playFailure(stage: Stage, failure: Failure): Promise<StepEnd> {
  const { message, codexErrorInfo: kind, httpStatusCode = null, retries = 0 } = failure;
  const codexErrorInfo = withStatus.includes(kind) ? { [kind]: { httpStatusCode } } : kind;
  for (let at = 1; at <= retries; at += 1) {
    const again = {
      message: `Reconnecting... ${at}/${retries}`,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode } },
      additionalDetails: message,
      misalignment: null,
    };
    await stage.notify("error", { error: again, willRetry: true, ...threadAndTurn(stage) });
  }
  const error = { message, codexErrorInfo, additionalDetails: null, misalignment: null };
  await setStatus(stage, stage.live, { type: "systemError" });
  await stage.notify("error", { error, willRetry: false, ...threadAndTurn(stage) });
  return { kind: "failed", error };
}

const usual: Usage = {
  totalTokens: 1290,
  inputTokens: 1234,
  cachedInputTokens: 1000,
  cacheWriteInputTokens: 0,
  outputTokens: 56,
  reasoningOutputTokens: 7,
};

/** The end of a model response. */
export async function showUsage(stage: Stage, numbers: Usage = usual): Promise<void> {
  const { modelContextWindow = 258_400, ...given } = numbers;
  const { inputTokens = 0, outputTokens = 0 } = given;
  const last = { ...noTokens, totalTokens: inputTokens + outputTokens, ...given };
  const before = stage.live.thread.usage?.total ?? noTokens;
  const total = Object.fromEntries(
    Object.entries(last).map(([key, value]) => [key, value + (before[key] ?? 0)]),
  );
  keep(stage, stage.live, { kind: "usage", total, last, window: modelContextWindow });
  await stage.notify("thread/tokenUsage/updated", {
    ...threadAndTurn(stage),
    tokenUsage: { total, last, modelContextWindow },
  });
  await stage.notify("account/rateLimits/updated", { rateLimits: noLimits });
  await showDiff(stage);
}

const noTokens: Usage = Object.fromEntries(Object.keys(usual).map((key) => [key, 0]));

const noLimits = {
  limitId: "codex",
  limitName: null,
  normalModelSlug: null,
  primary: null,
  secondary: null,
  credits: null,
  individualLimit: null,
  spendControlReached: null,
  planType: null,
  rateLimitReachedType: null,
};

const pieces = 4;

/** A few pieces of about equal size, never cut inside a character. */
function inPieces(text: string): readonly string[] {
  const letters = Array.from(text);
  const size = Math.max(1, Math.ceil(letters.length / pieces));
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(""),
  );
}
