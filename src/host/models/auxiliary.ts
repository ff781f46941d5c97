import type { Loaded } from "../../config/config.ts";
import {
  type Auxiliary,
  type AuxiliaryAnswer,
  type AuxiliaryCall,
  type AuxiliaryTask,
  auxiliaryInput,
} from "../../core/auxiliary.ts";
import type { Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import { userMessage } from "../../core/messages.ts";
import type { StoredUsage } from "../../core/usage.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import type { converse } from "../../models/converse.ts";
import { addedUsage, type ModelRequest, type Route } from "../../models/model.ts";
import type { EphemeralAnswer, EphemeralQuestion } from "../../runtimes/codex/ephemeral.ts";
import type { Routes } from "./routes.ts";
import type { CostLedger } from "./usage-access.ts";

export type AuxiliaryDeps = CostLedger & {
  readonly targetFor: (task: AuxiliaryTask) => Promise<AuxiliaryTarget>;
  readonly converse: typeof converse;
  readonly askCodex: AskCodex;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** On an ephemeral thread of the codex that serves this provider. Never rejects. */
export type AskCodex = (
  provider: string,
  question: EphemeralQuestion,
  signal: AbortSignal,
) => Promise<EphemeralAnswer>;

/** How long each task may take, retries included. */
const limitsMs: Readonly<Record<AuxiliaryTask, number>> = {
  title_generation: 30_000,
  approval: 30_000,
  goal_judge: 60_000,
  compression: 120_000,
  vision: 120_000,
  background_review: 120_000,
};

/** Asks a model beside the conversation. Every call that reached one is in the ledger, answered or not. */
export function auxiliary(deps: AuxiliaryDeps): Auxiliary {
  return async (call, signal) => {
    using limit = timeLimit(deps.clock, limitsMs[call.task]);
    try {
      signal.throwIfAborted();
      const spent = await deps.usedUp(call.session);
      if (spent !== undefined) return { unavailable: spent.message };
      const target = await deps.targetFor(call.task);
      if ("none" in target) return { unavailable: target.none.message };
      const reply = await ask(deps, target, call, AbortSignal.any([signal, limit.signal]));
      await record(deps, call, reply);
      return answerOf(reply, tooLate(call.task, limit.signal));
    } catch (error) {
      return { unavailable: signal.aborted ? "Nobody waits for the answer any more." : String(error) };
    }
  };
}

/** Where a small task is done. On codex `model` is set only if somebody chose it. */
export type AuxiliaryTarget =
  | { readonly route: Route }
  | { readonly codex: { readonly provider: string; readonly model?: string } }
  | { readonly none: Fault };

/**
 * What the settings say for the task, else the main provider. Codex's login is used where it is all there is, and where
 * the turns use it too: nobody expects that a key pays for the titles of turns that a login pays for.
 */
export async function auxiliaryTarget(
  { config }: Pick<Loaded, "config">,
  routes: Pick<Routes, "at">,
  task: AuxiliaryTask,
): Promise<AuxiliaryTarget> {
  const { provider: chosen = "auto", model } = config.auxiliary[task] ?? {};
  const name = chosen === "auto" ? config.model.provider : chosen;
  const provider = config.providers[name];
  const codex = { codex: { provider: name, ...(model === undefined ? {} : { model }) } };
  if (provider?.kind === "codex") return codex;
  const hasLogin = provider?.kind === "route" && provider.codexLogin;
  if (hasLogin && chosen === "auto" && config.model.runtime === "codex") return codex;
  const route = await routes.at(name, model);
  if (!("code" in route)) return { route };
  return hasLogin ? codex : { none: route };
}

type Reply = {
  readonly runtime: "loop" | "codex";
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage;
} & ({ readonly text: string } | { readonly fault: Fault });

function ask(
  deps: AuxiliaryDeps,
  target: Exclude<AuxiliaryTarget, { none: Fault }>,
  call: AuxiliaryCall,
  signal: AbortSignal,
): Promise<Reply> {
  return "route" in target
    ? askRoute(deps, target.route, call, signal)
    : askCodex(deps, target.codex, call, signal);
}

async function askCodex(
  deps: AuxiliaryDeps,
  { provider, model }: { readonly provider: string; readonly model?: string },
  { instructions, input, images, outputSchema }: AuxiliaryCall,
  signal: AbortSignal,
): Promise<Reply> {
  const question = {
    instructions,
    input,
    ...(images === undefined ? {} : { images }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(model === undefined ? {} : { model }),
  };
  return { ...(await deps.askCodex(provider, question, signal)), runtime: "codex", provider };
}

/** Many servers do not take a schema: those are asked once more, in words. */
async function askRoute(
  deps: AuxiliaryDeps,
  route: Route,
  call: AuxiliaryCall,
  signal: AbortSignal,
): Promise<Reply> {
  const { instructions, outputSchema } = call;
  const plain = {
    model: route.model,
    instructions,
    messages: [userMessage(auxiliaryInput(call))],
    tools: [],
  } as const satisfies ModelRequest;
  if (outputSchema === undefined) return listen(deps, route, plain, signal);
  const first = await listen(deps, route, { ...plain, outputSchema }, signal);
  if (!("fault" in first) || first.fault.code !== "protocol" || signal.aborted) return first;
  const inWords = `${instructions}\n\nAnswer with nothing but JSON that follows this schema: ${JSON.stringify(outputSchema)}`;
  return listen(deps, route, { ...plain, instructions: inWords }, signal);
}

async function listen(
  { converse, clock }: AuxiliaryDeps,
  route: Route,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const texts: string[] = [];
  let usage: Usage | undefined;
  let fault: Fault | undefined = abandoned;
  for await (const event of converse(route, request, { signal, clock })) {
    if (event.type === "item" && event.item.kind === "text") texts.push(event.item.text);
    if (event.type === "usage") usage = addedUsage(usage, event);
    // Half a summary or half a verdict is none.
    if (event.type === "completed") fault = event.early;
    if (event.type === "failed") ({ fault } = event);
  }
  const at = { runtime: "loop", provider: route.name, model: request.model } as const;
  const spent = usage === undefined ? at : { ...at, usage };
  return fault === undefined ? { ...spent, text: texts.join("\n\n") } : { ...spent, fault };
}

const abandoned: Fault = {
  code: "lost",
  message: "The question was given up before it was answered.",
  next: "Try again.",
};

/** A ledger that cannot be written to is no reason to throw away an answer. */
async function record(deps: AuxiliaryDeps, { task, session }: AuxiliaryCall, reply: Reply): Promise<void> {
  const { runtime, provider, model, usage } = reply;
  // Without a model nothing was reached, and nothing was spent.
  if (model === "") return;
  const { input = 0, cached = 0, output = 0, reasoning = 0, cost } = usage ?? {};
  const row: StoredUsage = {
    at: deps.clock.now(),
    ...(session === undefined ? {} : { session }),
    cause: task,
    runtime,
    provider,
    model,
    input,
    cached,
    output,
    reasoning,
    ...(cost === undefined ? {} : { cost }),
  };
  await deps.record(row).catch((error: unknown) => deps.log(`costs of ${task}: ${String(error)}`));
}

function answerOf(reply: Reply, late: string | undefined): AuxiliaryAnswer {
  if ("fault" in reply) return { unavailable: late ?? reply.fault.message };
  const { text, provider, model, usage } = reply;
  return { text, provider, model, ...(usage === undefined ? {} : { usage }) };
}

const tooLate = (task: AuxiliaryTask, limit: AbortSignal): string | undefined =>
  limit.aborted ? `There was no answer within ${limitsMs[task] / 1000} seconds.` : undefined;
