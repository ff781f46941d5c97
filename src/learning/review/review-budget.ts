import type { Usage } from "../../core/events.ts";
import { type PriceOf, spendsOf } from "../../core/spend.ts";
import { type Tokens, dayStart, tokensText, usdText } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import { noLongerNeeded } from "../../lib/no-longer-needed.ts";
import type { Store } from "../../store/store.ts";

export type ReviewLimits = { readonly tokens: number; readonly dayTokens: number; readonly usd?: number };

/** What a review may spend, and what it has spent. */
export type ReviewBudget = {
  /** Aborts when it has used that up. */
  readonly signal: AbortSignal;
  note(usage: Usage, at: { readonly provider: string; readonly model: string }): void;
  /** Which limit it went over, by its name in config.yaml. */
  readonly over: string | undefined;
  /** Why the limit in USD does not hold, if so: it must not look as if it did. */
  readonly unpriced: string | undefined;
};

/**
 * What counts as used: the provider's cache holds nearly all of the conversation, and what it gives costs little. A review
 * of a long conversation would otherwise never fit.
 */
export const freshTokens = ({ input, cached, output }: Tokens): number =>
  Math.max(0, input - cached) + output;

type BudgetDeps = { readonly store: Pick<Store, "usage">; readonly clock: Clock; readonly priceOf: PriceOf };

/** `undefined`: the reviews of this day have used up what they may. */
export async function reviewBudget(
  { store, clock, priceOf }: BudgetDeps,
  limits: ReviewLimits,
): Promise<ReviewBudget | undefined> {
  const left = limits.dayTokens - (await spentToday(store, clock));
  if (left <= 0) return undefined;
  const over = new AbortController();
  let limit: string | undefined;
  let unpriced: string | undefined;
  return {
    signal: over.signal,
    get over() {
      return limit;
    },
    get unpriced() {
      return unpriced;
    },
    note(usage, at) {
      const spends = spendsOf(usage, at, priceOf);
      const unknown = spends.find(({ cost }) => cost === undefined);
      if (limits.usd !== undefined && unknown !== undefined) unpriced = noPrice(unknown);
      const known = spends.reduce((sum, { cost = 0 }) => sum + cost, 0);
      limit ??= exceeded(freshTokens(usage), known, limits, left);
      if (limit !== undefined) over.abort(noLongerNeeded);
    },
  };
}

const noPrice = ({ provider, model }: { readonly provider: string; readonly model: string }): string =>
  `learning.review_usd does not hold here: no price of ${model} at ${provider} is known. Set providers.${provider}.prices in config.yaml; learning.review_tokens holds.`;

async function spentToday(store: Pick<Store, "usage">, clock: Clock): Promise<number> {
  const groups = await store.usage.groups({ from: dayStart(clock.now()) });
  return groups
    .filter(({ cause }) => cause === "background_review")
    .reduce((sum, group) => sum + freshTokens(group), 0);
}

function exceeded(tokens: number, cost: number, limits: ReviewLimits, leftToday: number): string | undefined {
  if (tokens > limits.tokens) return `learning.review_tokens (${tokensText(limits.tokens)})`;
  if (tokens > leftToday) return `learning.day_tokens (${tokensText(limits.dayTokens)})`;
  if (limits.usd !== undefined && cost > limits.usd)
    return `learning.review_usd (${usdText(limits.usd)} USD)`;
  return undefined;
}
