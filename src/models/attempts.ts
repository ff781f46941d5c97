import { duration } from "./fault-words.ts";
import type { FailedEvent } from "./model.ts";

/** What was tried already for one answer. */
export type Tried = {
  /** Requests that came too early or found nobody. */
  readonly later: number;
  readonly broken: number;
  readonly empty: number;
  readonly sealed: number;
};

export const nothingTried: Tried = { later: 0, broken: 0, empty: 0, sealed: 0 };

/** The next request: after how long, how it differs from the last one, and what to tell the person. */
export type RetryPlan = {
  readonly afterMs: number;
  readonly as: "same" | "anew" | "whole" | "unsealed";
  readonly text: string;
  readonly tried: Tried;
};

export type Situation = {
  readonly tried: Tried;
  /** Since the first request of this answer. */
  readonly spentMs: number;
  /** Whether the request carries sealed reasoning. */
  readonly sealed: boolean;
  /** From 0 to below 1. */
  readonly random: () => number;
};

const mostTries = 3;
const longestWaitMs = 60_000;
const downWindowMs = 20_000;

/** Whether to ask again when nothing of the answer was shown yet, and how. Undefined: it would not help. */
export function planRetry(failed: FailedEvent, situation: Situation): RetryPlan | undefined {
  const { tried, sealed } = situation;
  switch (failed.trouble) {
    case "busy":
      return later(failed, situation, longestWaitMs);
    case "down":
      return later(failed, situation, downWindowMs - situation.spentMs);
    case "broken":
      return brokenPlans[tried.broken]?.(tried);
    case "empty":
      return tried.empty === 0 ? emptyPlan(tried) : undefined;
    case "sealed":
      return sealed && tried.sealed === 0 ? sealedPlan(tried) : undefined;
    default:
      return undefined;
  }
}

function later(failed: FailedEvent, { tried, random }: Situation, mostMs: number): RetryPlan | undefined {
  if (tried.later >= mostTries - 1) return undefined;
  const afterMs = pause(failed.retryAfterMs, tried.later, random);
  if ((failed.retryAfterMs ?? afterMs) > mostMs) return undefined;
  const wait = afterMs < 1000 ? "" : ` in ${duration(afterMs)}`;
  return {
    afterMs,
    as: "same",
    text: `${failed.fault.message} Trying again${wait}.`,
    tried: { ...tried, later: tried.later + 1 },
  };
}

const firstPauseMs = 1000;
const jitterMs = 500;

/** As long as the provider asked for, else longer each time; never quite the same, so that many do not come back at once. */
function pause(askedMs: number | undefined, before: number, random: () => number): number {
  if (askedMs !== undefined) return Math.round(askedMs + random() * jitterMs);
  return Math.round(firstPauseMs * 2 ** before * (0.5 + random() / 2));
}

/** The first time the same again; then without a stream, which some relays and servers cannot do right. */
const brokenPlans: readonly ((tried: Tried) => RetryPlan)[] = [
  (tried) => ({
    afterMs: 0,
    as: "same",
    text: "The answer broke off before anything was shown. Asking again.",
    tried: { ...tried, broken: 1 },
  }),
  (tried) => ({
    afterMs: 0,
    as: "whole",
    text: "The answer broke off again. Asking for it in one piece.",
    tried: { ...tried, broken: 2 },
  }),
];

const emptyPlan = (tried: Tried): RetryPlan => ({
  afterMs: 0,
  as: "anew",
  text: "The model returned nothing. Asking once more.",
  tried: { ...tried, empty: 1 },
});

const sealedPlan = (tried: Tried): RetryPlan => ({
  afterMs: 0,
  as: "unsealed",
  text: "The provider did not take back its own sealed reasoning, so it was left out. The model goes on without its earlier thoughts.",
  tried: { ...tried, sealed: 1 },
});
