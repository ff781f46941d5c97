import type { Usage } from "../../../core/events.ts";
import type { TokenCounts, TokenUsage } from "../wire/token-usage.ts";

/** What this turn has used so far, told from sums that codex keeps for the whole thread. */
export type Meter = {
  /** The thread's sum when the turn began. */
  readonly before?: TokenCounts;
  /** The thread's sum now: the next turn's `before`. */
  readonly total?: TokenCounts;
  readonly usage?: Usage;
};

/** A sum that codex repeats for an earlier turn (after a resume or a fork) is where this one starts. */
export const setBaseline = (meter: Meter, { total }: TokenUsage): Meter =>
  meter.usage === undefined ? { ...meter, before: total } : meter;

/** The thread lost turns, and the sum with them: what we remember of it is worth nothing. */
export function forgetBaseline(meter: Meter): Meter {
  if (meter.usage !== undefined) return meter;
  const { before: _stale, ...rest } = meter;
  return rest;
}

/** The same meter if the frame says nothing new. */
export function measure(meter: Meter, now: TokenUsage): Meter {
  const { usage, total } = meter;
  if (total?.total === now.total.total && usage?.context.used === contextOf(now.last)) return meter;
  const before = meter.usage === undefined ? startOf(meter.before, now) : (meter.before ?? none);
  return { before, total: now.total, usage: spent(before, now) };
}

/** What the thread had used before the model's first answer in this turn. */
function startOf(before: TokenCounts | undefined, { total, last }: TokenUsage): TokenCounts {
  const derived = minus(total, last);
  if (before === undefined) return derived;
  // An answer without numbers repeats the old ones: nothing was added.
  if (before.total === total.total) return before;
  // The thread was rewound since, so the sum we remember is too large.
  return derived.total < before.total ? derived : before;
}

function spent(before: TokenCounts, { total, last, window }: TokenUsage): Usage {
  const { input, cached, output, reasoning } = minus(total, before);
  return {
    input,
    cached,
    output,
    reasoning,
    context: { used: contextOf(last), ...(window === undefined ? {} : { window }) },
  };
}

/** All that the model had before it when it gave its latest answer, and the answer. */
const contextOf = (last: TokenCounts): number => last.total || last.input + last.output;

const none: TokenCounts = { total: 0, input: 0, cached: 0, output: 0, reasoning: 0 };

const minus = (a: TokenCounts, b: TokenCounts): TokenCounts => ({
  total: Math.max(0, a.total - b.total),
  input: Math.max(0, a.input - b.input),
  cached: Math.max(0, a.cached - b.cached),
  output: Math.max(0, a.output - b.output),
  reasoning: Math.max(0, a.reasoning - b.reasoning),
});
