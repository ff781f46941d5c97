import type { AuxiliaryTask } from "./auxiliary.ts";
import type { SessionId, TurnId } from "./ids.ts";
import type { Role } from "./principal.ts";

/** `cached` is part of `input`, `reasoning` of `output`. */
export type Tokens = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
};

/** A row of the ledger of costs: what one turn spent on one model, or one small call beside the conversation. */
export type StoredUsage = Tokens & {
  readonly at: number;
  /** Unset when it belongs to none, or when the session was deleted: the money was spent all the same. */
  readonly session?: SessionId;
  /** Only with cause `turn`. */
  readonly turn?: TurnId;
  readonly cause: "turn" | AuxiliaryTask | "image_generate";
  readonly runtime: string;
  readonly provider: string;
  readonly model: string;
  /** USD. Unset when no price is known, which is not 0. */
  readonly cost?: number;
  /** A request of it was cut off, and nobody said what that used: it is at least as much as stands here. */
  readonly uncounted?: true;
};

export type UsageFilter = {
  /** And the sessions that it began for parts of its work. */
  readonly session?: SessionId;
  /** Only rows of this time and later. */
  readonly from?: number;
};

/**
 * `cost` is that of the rows whose price is known, and unset when there is none; `unpriced` counts the others.
 * `uncounted`: rows to which a request belongs of which nobody said what it used.
 */
export type UsageSum = Tokens & {
  readonly rows: number;
  readonly cost?: number;
  readonly unpriced: number;
  readonly uncounted: number;
};

export type UsageGroup = UsageSum & {
  /** In UTC, like `2026-01-31`. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly cause: StoredUsage["cause"];
  /** For whom; unset where it was for nobody in particular. */
  readonly role?: Role;
};

export type NamedSum = UsageSum & { readonly name: string };

/** What was spent, seen from every side. */
export type UsageReport = {
  readonly total: UsageSum;
  readonly days: readonly NamedSum[];
  /** As `provider/model`. */
  readonly models: readonly NamedSum[];
  readonly causes: readonly NamedSum[];
  /** For whom: the roles of those whose turns they were, and `nobody` where there was no turn. */
  readonly roles: readonly NamedSum[];
  readonly budgets: readonly BudgetState[];
};

/** How much of a budget is used. `key` is its name in config.yaml. */
export type BudgetState = { readonly key: string; readonly spent: number; readonly limit: number };

export const nothingSpent: UsageSum = {
  rows: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  unpriced: 0,
  uncounted: 0,
};

export const addSums = (a: UsageSum, b: UsageSum): UsageSum => ({
  rows: a.rows + b.rows,
  ...addTokens(a, b),
  ...(a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
  unpriced: a.unpriced + b.unpriced,
  uncounted: a.uncounted + b.uncounted,
});

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
});

/** One sum for each name, in the order in which the names first come. */
export function sumsBy(
  groups: readonly UsageGroup[],
  nameOf: (group: UsageGroup) => string,
): readonly NamedSum[] {
  const sums = new Map<string, UsageSum>();
  for (const group of groups) {
    const name = nameOf(group);
    sums.set(name, addSums(sums.get(name) ?? nothingSpent, group));
  }
  return [...sums].map(([name, sum]) => ({ name, ...sum }));
}

/** No turn uses more; a larger number is a provider's mistake. */
const mostTokens = 1e10;

/** Counts that no call can have (negative, broken, absurdly large) are nothing, so that no sum is ever wrong by them. */
export function soundTokens({ input, cached, output, reasoning }: Tokens): Tokens {
  const sound = { input: count(input), output: count(output) };
  return {
    ...sound,
    cached: Math.min(count(cached), sound.input),
    reasoning: Math.min(count(reasoning), sound.output),
  };
}

const count = (tokens: number): number => (tokens > 0 && tokens <= mostTokens ? Math.floor(tokens) : 0);

const mostUsd = 1e6;

/** A cost that cannot be is unknown. */
export const soundCost = (cost: number | undefined): number | undefined =>
  cost !== undefined && cost >= 0 && cost <= mostUsd ? cost : undefined;

/** What a budget of tokens counts. */
export const tokenCount = ({ input, output }: Tokens): number => input + output;

export const dayMs = 86_400_000;

/** When the UTC day of a moment began. */
export const dayStart = (at: number): number => Math.floor(at / dayMs) * dayMs;

export const dayName = (at: number): string => new Date(dayStart(at)).toISOString().slice(0, 10);

export const tokensText = (tokens: number): string => Math.round(tokens).toLocaleString("en-US");

/** Cents, and for less than a dollar four places, because one call may cost less than a cent. */
export const usdText = (usd: number): string => usd.toFixed(usd >= 1 || usd === 0 ? 2 : 4);
