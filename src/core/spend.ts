import type { ModelSpend, Usage } from "./events.ts";
import { type Tokens, addTokens, soundCost, soundTokens, tokenCount } from "./usage.ts";

/** USD for a million tokens. Input that came from the provider's cache costs `cached`. */
export type Price = { readonly input: number; readonly cached: number; readonly output: number };

/** `undefined`: nobody has said what this model costs. */
export type PriceOf = (provider: string, model: string) => Price | undefined;

/** How much may be spent; what is unset is not limited. */
export type Limit = { readonly tokens?: number; readonly usd?: number };

/**
 * What one turn may use beside what every turn may. `section`: the part of config.yaml that says so, as `budget.tokens`,
 * `budget.usd` and `max_seconds`.
 */
export type TurnLimit = Limit & { readonly workMs?: number; readonly section: string };

export type Budgets = { readonly turn: Limit; readonly session: Limit; readonly day: Limit };

export const costOf = (tokens: Tokens, price: Price): number => {
  const { input, cached, output } = soundTokens(tokens);
  return ((input - cached) * price.input + cached * price.cached + output * price.output) / 1e6;
};

/** The usage of one model with its cost, where that is known. What the provider itself charged goes before the price list. */
export function priced(spend: ModelSpend, priceOf: PriceOf): ModelSpend {
  const { provider, model } = spend;
  const price = priceOf(provider, model);
  const cost = soundCost(spend.cost) ?? (price === undefined ? undefined : costOf(spend, price));
  return { provider, model, ...soundTokens(spend), ...(cost === undefined ? {} : { cost }) };
}

/** Who spent what of a turn's usage: the models that the runtime named, and the turn's own model the rest. */
export function spendsOf(
  usage: Usage,
  own: Pick<ModelSpend, "provider" | "model">,
  priceOf: PriceOf,
): readonly ModelSpend[] {
  const named = merged(usage.models ?? []).map((spend) => priced(spend, priceOf));
  const rest = named.reduce<Tokens>(minus, soundTokens(usage));
  const charged = named.length === 0 && usage.cost !== undefined ? { cost: usage.cost } : {};
  if (named.length > 0 && tokenCount(rest) === 0) return named;
  return merged([priced({ ...own, ...rest, ...charged }, priceOf), ...named]);
}

const minus = (whole: Tokens, part: Tokens): Tokens => ({
  input: Math.max(0, whole.input - part.input),
  cached: Math.max(0, whole.cached - part.cached),
  output: Math.max(0, whole.output - part.output),
  reasoning: Math.max(0, whole.reasoning - part.reasoning),
});

/** `undefined` when the cost of any of them is unknown: half a sum would look like a whole one. */
export const costOfAll = (spends: readonly ModelSpend[]): number | undefined =>
  spends.reduce<number | undefined>(
    (sum, { cost }) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    0,
  );

/** Usage of one turn after another part of it: tokens add up, the context is the later one. */
export function addUsage(before: Usage | undefined, now: Usage): Usage {
  if (before === undefined) return now;
  const models = merged([...(before.models ?? []), ...(now.models ?? [])]);
  const cost = before.cost === undefined || now.cost === undefined ? {} : { cost: before.cost + now.cost };
  const limits = now.limits ?? before.limits;
  return {
    ...addTokens(before, now),
    ...cost,
    context: now.context,
    ...(limits === undefined ? {} : { limits }),
    ...(models.length === 0 ? {} : { models }),
  };
}

/** One entry for each model of each provider. */
function merged(parts: readonly ModelSpend[]): readonly ModelSpend[] {
  const found = new Map<string, ModelSpend>();
  for (const part of parts) {
    const key = JSON.stringify([part.provider, part.model]);
    const before = found.get(key);
    found.set(key, before === undefined ? part : added(before, part));
  }
  return [...found.values()];
}

const added = (a: ModelSpend, b: ModelSpend): ModelSpend => ({
  provider: a.provider,
  model: a.model,
  ...addTokens(a, b),
  ...(a.cost === undefined || b.cost === undefined ? {} : { cost: a.cost + b.cost }),
});
