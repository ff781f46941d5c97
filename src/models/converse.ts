import { randomUUID } from "node:crypto";
import { nothingTried, planRetry, type RetryPlan } from "./attempts.ts";
import type {
  AbortedEvent,
  CompletedEvent,
  FailedEvent,
  FinishedEvent,
  ModelEvent,
  ModelRequest,
  Route,
  StreamOptions,
} from "./model.ts";
import { stream } from "./stream.ts";
import { isBlank } from "./wire.ts";

/** What a model says, and what was done to get it to say it. */
export type ConverseEvent = ModelEvent | RetryingEvent | ConverseNotice;

/** The next request starts after so long. */
export type RetryingEvent = { readonly type: "retrying"; readonly text: string; readonly afterMs: number };
export type ConverseNotice = { readonly type: "notice"; readonly code: string; readonly text: string };

export type ConverseOptions = Omit<StreamOptions, "whole" | "idempotencyKey"> & {
  /** From 0 to below 1, for pauses. */
  readonly random?: () => number;
};

/**
 * Asks a model until it answers or asking again would not help. Like `stream` it never throws and ends once. As soon as
 * a word of the answer was shown nothing is asked again, so no text is doubled; thinking that led nowhere is let go.
 */
export async function* converse(
  route: Route,
  request: ModelRequest,
  options: ConverseOptions,
): AsyncGenerator<ConverseEvent, void, void> {
  const { clock, random = Math.random } = options;
  const started = clock.monotonic();
  let tried = nothingTried;
  let attempt: Attempt = { request, key: randomUUID(), whole: false };
  let items = 0;
  for (let tries = 1; ; tries += 1) {
    const how = { ...options, idempotencyKey: attempt.key, whole: attempt.whole };
    const received = yield* passOn(stream(route, attempt.request, how), items);
    if (received.last.type !== "failed") return yield received.last;
    const sealed = (attempt.request.sealed ?? []).length > 0;
    const spentMs = clock.monotonic() - started;
    const plan = received.shown ? undefined : planRetry(received.last, { tried, spentMs, sealed, random });
    if (plan === undefined) {
      yield* received.held;
      return yield afterTries(received.last, tries);
    }
    yield plan.as === "unsealed" ? unsealed(plan) : retrying(plan);
    if (!(await waited(plan.afterMs, options))) return yield { type: "aborted" };
    ({ tried } = plan);
    attempt = nextAttempt(attempt, plan.as);
    items = received.items;
  }
}

type Attempt = { readonly request: ModelRequest; readonly key: string; readonly whole: boolean };

/** An idempotency key stands for one request: another body, or the wish for another answer, needs another key. */
function nextAttempt(last: Attempt, as: RetryPlan["as"]): Attempt {
  if (as === "same") return last;
  const { sealed: _, ...open } = last.request;
  const request = as === "unsealed" ? open : last.request;
  return { request, key: randomUUID(), whole: last.whole || as === "whole" };
}

type Received = {
  readonly last: CompletedEvent | FailedEvent | AbortedEvent;
  /** A word of the answer is on the screen. */
  readonly shown: boolean;
  /** Finished thinking that belongs to an answer only if one follows. */
  readonly held: readonly FinishedEvent[];
  /** How many items all attempts have begun. */
  readonly items: number;
};

/** Passes one attempt on. Its items are numbered after those of the attempts before it. */
async function* passOn(
  events: AsyncIterable<ModelEvent>,
  before: number,
): AsyncGenerator<ModelEvent, Received> {
  const held: FinishedEvent[] = [];
  let shown = false;
  let items = before;
  for await (const event of events) {
    if (event.type === "completed" || event.type === "failed" || event.type === "aborted") {
      if (event.type !== "failed") yield* held.splice(0);
      return { last: event, shown, held, items };
    }
    const numbered = renumbered(event, before);
    items = Math.max(items, itemOf(numbered) + 1);
    shown ||= isVisible(numbered);
    if (shown) yield* held.splice(0);
    if (numbered.type === "item" && numbered.item.kind === "thinking" && !shown) {
      held.push(numbered);
      continue;
    }
    yield numbered;
  }
  return { last: { type: "aborted" }, shown, held, items };
}

type ContentEvent = Exclude<ModelEvent, Received["last"]>;

function renumbered(event: ContentEvent, before: number): ContentEvent {
  if (event.type === "delta") return { ...event, item: event.item + before };
  if (event.type === "usage") return event;
  return { type: "item", item: { ...event.item, item: event.item.item + before } };
}

function itemOf(event: ContentEvent): number {
  if (event.type === "usage") return -1;
  return event.type === "delta" ? event.item : event.item.item;
}

const isVisible = (event: ContentEvent): boolean =>
  (event.type === "delta" && event.of === "text" && !isBlank(event.text)) ||
  (event.type === "item" && (event.item.kind === "text" || event.item.kind === "call"));

const retrying = ({ text, afterMs }: RetryPlan): RetryingEvent => ({ type: "retrying", text, afterMs });

const unsealed = ({ text }: RetryPlan): ConverseNotice => ({
  type: "notice",
  code: "reasoning_dropped",
  text,
});

/** Whether the time passed without a Stop. */
async function waited(ms: number, { clock, signal }: ConverseOptions): Promise<boolean> {
  try {
    if (ms > 0) await clock.sleep(ms, signal, { hold: true });
    return !signal.aborted;
  } catch {
    return false;
  }
}

function afterTries(failed: FailedEvent, tries: number): FailedEvent {
  if (tries === 1) return failed;
  const message = `${failed.fault.message} It was tried ${tries} times.`;
  return { ...failed, fault: { ...failed.fault, message } };
}
