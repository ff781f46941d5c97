import type { Fault } from "../../core/faults.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Budgets, Limit, TurnLimit } from "../../core/spend.ts";
import {
  type BudgetState,
  type UsageSum,
  dayMs,
  dayStart,
  nothingSpent,
  tokenCount,
  tokensText,
  usdText,
} from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";

/** Those of all turns, and those of the one that is asked about. `key`: what the key that it is for had left when it began. */
export type Limits = {
  readonly budgets: Budgets;
  readonly own?: TurnLimit | undefined;
  readonly key?: Limit | undefined;
};

type BudgetDeps = Limits & { readonly store: Pick<Store, "usage">; readonly clock: Clock };

/** Tokens, and what they cost as far as that is known. */
type Spent = { readonly tokens: number; readonly usd: number };

type Scope = keyof Budgets | "own" | "key";
type Unit = keyof Spent;

/** One limit of the settings and how much of it is used, the running turn included. */
type LimitUse = BudgetState & { readonly scope: Scope; readonly unit: Unit };

/** Why nothing more of this session may be sent to a model now, if so. Costs of small calls count too. */
export async function usedUp(
  deps: BudgetDeps,
  session: SessionId | undefined,
  refused: Refused = turnRefused,
): Promise<Fault | undefined> {
  const full = (await limitUses(deps, session)).find(({ spent, limit }) => spent >= limit);
  return full && notStarted(full, refused, deps.clock.now());
}

/** What was not done, and what is left of it. */
export type Refused = { readonly what: string; readonly kept: string };

const turnRefused: Refused = { what: "The turn was not started", kept: "Your message is kept. " };

/** Which limit a running turn has gone over with what it has used so far, as the fault that it ends with. */
export async function overspent(
  deps: BudgetDeps,
  session: SessionId,
  turn: Spent,
): Promise<Fault | undefined> {
  if (!hasLimits(deps)) return undefined;
  const over = (await limitUses(deps, session, turn)).find(({ spent, limit }) => spent > limit);
  return over && ended(over, deps.clock.now());
}

/** Every limit that is set; without a session those of sessions are left out. */
export async function limitUses(
  deps: BudgetDeps,
  session: SessionId | undefined,
  turn?: Spent,
): Promise<readonly LimitUse[]> {
  const { store, clock } = deps;
  const before: Readonly<Record<Scope, () => Promise<UsageSum>>> = {
    own: async () => nothingSpent,
    key: async () => nothingSpent,
    turn: async () => nothingSpent,
    session: () => store.usage.sum(session === undefined ? {} : { session }),
    day: () => store.usage.sum({ from: dayStart(clock.now()) }),
  };
  const given = { own: turn, key: turn, turn, session, day: true };
  const wanted = scopes.filter((scope) => given[scope] !== undefined);
  const all = wanted.map(async (scope): Promise<readonly LimitUse[]> => {
    const limit = limitOf(deps, scope);
    const limits = units.filter((unit) => limit[unit] !== undefined);
    if (limits.length === 0) return [];
    const sum = await before[scope]();
    const so = { tokens: tokenCount(sum), usd: sum.cost ?? 0 };
    return limits.map((unit) => ({
      scope,
      unit,
      key: keyOf(deps, scope, unit),
      spent: so[unit] + (turn?.[unit] ?? 0),
      limit: limit[unit] ?? 0,
    }));
  });
  return (await Promise.all(all)).flat();
}

/** The first limit in USD that is set, by its name in config.yaml. */
export function usdKey(limits: Limits): string | undefined {
  const scope = scopes.find((name) => limitOf(limits, name).usd !== undefined);
  return scope && keyOf(limits, scope, "usd");
}

const scopes: readonly Scope[] = ["own", "key", "turn", "session", "day"];
const units: readonly Unit[] = ["tokens", "usd"];

function limitOf({ budgets, own = none, key = none }: Limits, scope: Scope): Limit {
  if (scope === "own") return own;
  return scope === "key" ? key : budgets[scope];
}

const none: TurnLimit = { section: "" };

const keyOf = ({ own = none }: Limits, scope: Scope, unit: Unit): string =>
  scope === "key"
    ? "The budget of its key"
    : scope === "own"
      ? `${own.section}.budget.${unit}`
      : `budgets.${scope}.${unit}`;

const hasLimits = (limits: Limits): boolean =>
  scopes.some((scope) => units.some((unit) => limitOf(limits, scope)[unit] !== undefined));

function notStarted(use: LimitUse, { what, kept }: Refused, now: number): Fault {
  return {
    code: "quota",
    message: `${what}: ${whatWasSpent(use)}`,
    next: `${kept}${howToGoOn(use, now)}`,
  };
}

function ended(use: LimitUse, now: number): Fault {
  return {
    code: isOfTurn(use) ? "refused" : "quota",
    message: `The turn was ended: ${whatWasSpent(use)}`,
    next: `What it finished is kept. ${howToGoOn(use, now)}`,
  };
}

const isOfTurn = ({ scope }: Pick<LimitUse, "scope">): boolean => scope === "turn" || scope === "own";

function whatWasSpent({ scope, unit, spent, limit }: LimitUse): string {
  const amount = `${inUnit(spent, unit)} of its budget of ${inUnit(limit, unit)}`;
  if (scope === "key")
    return `it has used ${inUnit(spent, unit)}, and its key had ${inUnit(limit, unit)} left for today.`;
  if (isOfTurn({ scope })) return `it has used ${amount}.`;
  return scope === "session" ? `this session has used ${amount}.` : `today has used ${amount}.`;
}

function howToGoOn({ scope, key }: LimitUse, now: number): string {
  if (scope === "key") return "It goes on at midnight (UTC), or with another key.";
  const raise = `or raise ${key} in config.yaml.`;
  if (isOfTurn({ scope })) return `Send “go on”, ${raise}`;
  if (scope === "session") return `Start a new session, ${raise}`;
  const left = Math.ceil((dayStart(now) + dayMs - now) / 60_000);
  return `The next day begins at 00:00 UTC, in ${Math.floor(left / 60)} h ${left % 60} min; wait for it, ${raise}`;
}

const inUnit = (amount: number, unit: Unit): string =>
  unit === "usd" ? `${usdText(amount)} USD` : `${tokensText(amount)} ${amount === 1 ? "token" : "tokens"}`;
