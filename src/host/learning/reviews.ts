import { limitUses } from "../../agent/budget/budgets.ts";
import type { AgentDeps } from "../../agent/index.ts";
import { sessionTurn } from "../../agent/turn-input.ts";
import type { Ask, Inquire } from "../../core/asking.ts";
import type { Usage } from "../../core/events.ts";
import { type Fault, bugFault } from "../../core/faults.ts";
import type { ReviewEnd, ReviewTurn, RunReview } from "../../learning/review/one-review.ts";
import { reviewTools } from "../../learning/review/review-tools.ts";
import { type ReviewerDeps, type ReviewerWithNews, reviewer } from "../../learning/review/reviewer.ts";
import { spendsOf } from "../../core/spend.ts";
import { converse } from "../../models/converse.ts";
import { loopRuntime } from "../../runtimes/loop/loop.ts";
import type { Ports, Runtime, Turn } from "../../runtimes/runtime.ts";
import type { Foundation } from "../foundation.ts";
import { type ReviewTarget, reviewTarget } from "./review-target.ts";
import type { HostToolBox } from "../tools/tool-box.ts";

export type ReviewParts = Foundation &
  Pick<AgentDeps, "runtimes" | "prepare"> &
  Pick<ReviewerDeps, "tell" | "turns"> & { readonly toolBox: HostToolBox };

/** Reviews as the settings want them. */
export function hostReviewer(parts: ReviewParts): ReviewerWithNews {
  const { store, clock, spending, loaded } = parts;
  const { memory, skills, learning, auxiliary } = loaded.config;
  const isOff = auxiliary.background_review?.enabled === false;
  const limits = { tokens: learning.reviewTokens, dayTokens: learning.dayTokens };
  return reviewer({
    ...parts,
    priceOf: spending.priceOf,
    settings: {
      mode: isOff ? "off" : learning.mode,
      every: { turns: memory.nudgeInterval, calls: skills.nudgeInterval },
      limits: learning.reviewUsd === undefined ? limits : { ...limits, usd: learning.reviewUsd },
      enabled: () => writable(parts),
    },
    async usedUp(session) {
      const all = await limitUses({ store, clock, ...spending }, session);
      const full = all.find(({ spent, limit }) => spent >= limit);
      if (full !== undefined) return `${full.key} is used up.`;
      return parts.allowance.closed("review");
    },
    run: (turn, signal) => counted(parts, limits, turn, () => run(parts, turn, signal)),
  });
}

/** Takes what it may use out of the budgets of work before it begins, and leaves there what it has used. */
async function counted(
  { allowance, spending }: ReviewParts,
  { tokens }: { readonly tokens: number },
  { session, last, id }: ReviewTurn,
  review: () => ReturnType<RunReview>,
): ReturnType<RunReview> {
  const piece = { id, origin: "review", subject: session.id, may: { tokens } } as const;
  const notNow = await allowance.take(piece);
  if (notNow !== undefined) {
    const fault = { code: "quota", message: `It was not begun: ${notNow}.`, next: "" } as const;
    const { provider } = spending;
    return { runtime: last.runtime, provider, model: "", outcome: "failed", fault };
  }
  const ended = await review();
  const spends = ended.usage === undefined ? [] : spendsOf(ended.usage, ended, spending.priceOf);
  const usd = spends.reduce((sum, { cost = 0 }) => sum + cost, 0);
  const used = { tokens: (ended.usage?.input ?? 0) + (ended.usage?.output ?? 0), usd };
  const end = { state: ended.outcome === "done" ? "ran" : "failed" } as const;
  const reason = ended.fault === undefined ? {} : { reason: ended.fault.message };
  await allowance.settle(piece, used, { ...end, ...reason });
  return ended;
}

async function writable({ toolBox, loaded }: ReviewParts): Promise<{ memory: boolean; skills: boolean }> {
  const { memory, skills } = loaded.config;
  const tools = await toolBox.tools();
  const isOn = (name: string): boolean =>
    tools.some((tool) => tool.name === name && !toolBox.switches.isOff(tool));
  return {
    memory: (memory.enabled || memory.userProfile) && isOn("memory"),
    skills: skills.enabled && isOn("skill_manage"),
  };
}

const run = async (parts: ReviewParts, review: ReviewTurn, signal: AbortSignal): ReturnType<RunReview> => {
  const { session, last } = review;
  const defaults = { runtime: last.runtime, provider: parts.spending.provider, model: "" };
  try {
    const chosen = session.model === undefined ? {} : { model: session.model };
    const target = await reviewTarget(parts.loaded, parts.routes, { runtime: last.runtime, ...chosen });
    if ("none" in target) return { ...defaults, outcome: "failed", fault: target.none };
    const runtime = runtimeAt(parts, target);
    const provider = "route" in target ? target.route.name : defaults.provider;
    if (runtime?.sideTurn === undefined)
      return { ...defaults, outcome: "failed", fault: cannot(last.runtime) };
    const turn = await turnOf(parts, review, target);
    return await follow(runtime.sideTurn(turn, await portsOf(parts, review, turn, signal)), review, {
      ...defaults,
      runtime: runtime.name,
      provider,
    });
  } catch (error) {
    return { ...defaults, outcome: "failed", fault: bugFault(error) };
  }
};

const runtimeAt = (
  { runtimes }: ReviewParts,
  target: Exclude<ReviewTarget, { none: Fault }>,
): Runtime | undefined =>
  "route" in target
    ? loopRuntime({ stream: converse, routes: async () => [target.route] })
    : runtimes[target.runtime];

/** All that the session's model knows, and the prompt where the person's words would be. */
async function turnOf(
  { store, prepare }: ReviewParts,
  { session, last, id, prompt }: ReviewTurn,
  target: Exclude<ReviewTarget, { none: Fault }>,
): Promise<Turn> {
  const { model: _chosen, ...turn } = await sessionTurn({ store, prepare }, session, id);
  const model = "route" in target ? undefined : target.model;
  return {
    ...turn,
    cwd: last.cwd,
    input: [{ type: "text", text: prompt }],
    ...(model === undefined ? {} : { model }),
  };
}

async function portsOf(
  { store, toolBox, processes, clock }: ReviewParts,
  { session, last }: ReviewTurn,
  { cwd }: Turn,
  signal: AbortSignal,
): Promise<Ports> {
  const input = await store.inbox.get(last.inbox);
  if (input === undefined) throw new Error(`turn ${last.id} has no input`);
  const { audience } = session;
  const context = { session: session.id, turn: last.id, cwd, from: input.from, audience };
  const box = await toolBox({ ...context, ask, inquire, clock });
  return {
    signal,
    ask,
    inquire,
    tools: reviewTools(box),
    binding: { load: () => store.bindings.load(session.id, last.runtime, cwd), save: async () => {} },
    processes,
    clock,
  };
}

const ask: Ask = async () => ({ choice: "deny", why: "policy", reason: "not allowed in a review" });
const inquire: Inquire = async () => undefined;

async function follow(
  events: ReturnType<Runtime["run"]>,
  { onUsage }: ReviewTurn,
  at: Omit<ReviewEnd, "outcome">,
): Promise<ReviewEnd> {
  let { model } = at;
  let usage: Usage | undefined;
  for await (const event of events) {
    if (event.type === "started") ({ model } = event);
    if (event.type === "usage") {
      const { type: _type, ...used } = event;
      usage = used;
      onUsage(used, { provider: at.provider, model });
    }
    if (event.type !== "ended") continue;
    const { outcome, fault } = event;
    usage = event.usage ?? usage;
    return {
      ...at,
      model,
      outcome,
      ...(fault === undefined ? {} : { fault }),
      ...(usage === undefined ? {} : { usage }),
    };
  }
  return { ...at, model, outcome: "failed", ...(usage === undefined ? {} : { usage }) };
}

const cannot = (runtime: string): Fault => ({
  code: "config",
  message: `The ${runtime} runtime cannot run anything beside a conversation.`,
  next: "Name a provider for reviews: talaria config set auxiliary.background_review.provider NAME.",
});
