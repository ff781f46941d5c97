import type { Fault } from "../core/faults.ts";
import type { SessionId } from "../core/ids.ts";
import type { Budgets } from "../core/spend.ts";
import {
  type BudgetState,
  type UsageSum,
  dayMs,
  dayStart,
  nothingSpent,
  tokenCount,
  tokensText,
  usdText,
} from "../core/usage.ts";
import type { Clock } from "../lib/clock.ts";
import type { Store } from "../store/store.ts";

type BudgetDeps = { readonly store: Pick<Store, "usage">; readonly budgets: Budgets; readonly clock: Clock };

/** Tokens, and what they cost as far as that is known. */
type Spent = { readonly tokens: number; readonly usd: number };

type Scope = keyof Budgets;
type Unit = keyof Spent;

/** One limit of the settings and how much of it is used, the running turn included. */
type Standing = BudgetState & { readonly scope: Scope; readonly unit: Unit };

/** Why no turn of this session may start now, if so. Costs of small calls count too. */
export async function usedUp(deps: BudgetDeps, session: SessionId | undefined): Promise<Fault | undefined> {
  const full = (await standings(deps, session)).find(({ spent, limit }) => spent >= limit);
  return full && notStarted(full, deps.clock.now());
}

/** Which limit a running turn has gone over with what it has used so far, as the fault that it ends with. */
export async function overspent(
  deps: BudgetDeps,
  session: SessionId,
  turn: Spent,
): Promise<Fault | undefined> {
  if (!hasLimits(deps.budgets)) return undefined;
  const over = (await standings(deps, session, turn)).find(({ spent, limit }) => spent > limit);
  return over && ended(over, deps.clock.now());
}

/** Every limit that is set; without a session those of sessions are left out. */
export async function standings(
  { store, budgets, clock }: BudgetDeps,
  session: SessionId | undefined,
  turn?: Spent,
): Promise<readonly Standing[]> {
  const before: Readonly<Record<Scope, () => Promise<UsageSum>>> = {
    turn: async () => nothingSpent,
    session: () => store.usage.sum(session === undefined ? {} : { session }),
    day: () => store.usage.sum({ from: dayStart(clock.now()) }),
  };
  const scopes: readonly Scope[] = ["turn", "session", "day"];
  const wanted = scopes.filter((scope) => (scope !== "turn" || turn) && (scope !== "session" || session));
  const all = wanted.map(async (scope): Promise<readonly Standing[]> => {
    const limits = units.filter((unit) => budgets[scope][unit] !== undefined);
    if (limits.length === 0) return [];
    const sum = await before[scope]();
    const so = { tokens: tokenCount(sum), usd: sum.cost ?? 0 };
    return limits.map((unit) => ({
      scope,
      unit,
      key: `budgets.${scope}.${unit}`,
      spent: so[unit] + (turn?.[unit] ?? 0),
      limit: budgets[scope][unit] ?? 0,
    }));
  });
  return (await Promise.all(all)).flat();
}

const units: readonly Unit[] = ["tokens", "usd"];

const hasLimits = ({ turn, session, day }: Budgets): boolean =>
  [turn, session, day].some((limit) => units.some((unit) => limit[unit] !== undefined));

function notStarted(standing: Standing, now: number): Fault {
  return {
    code: "quota",
    message: `The turn was not started: ${whatWasSpent(standing)}`,
    next: `Your message is kept. ${howToGoOn(standing, now)}`,
  };
}

function ended(standing: Standing, now: number): Fault {
  return {
    code: standing.scope === "turn" ? "refused" : "quota",
    message: `The turn was ended: ${whatWasSpent(standing)}`,
    next: `What it finished is kept. ${howToGoOn(standing, now)}`,
  };
}

function whatWasSpent({ scope, unit, spent, limit }: Standing): string {
  const amount = `${inUnit(spent, unit)} of its budget of ${inUnit(limit, unit)}`;
  if (scope === "turn") return `it has used ${amount}.`;
  return scope === "session" ? `this session has used ${amount}.` : `today has used ${amount}.`;
}

function howToGoOn({ scope, key }: Standing, now: number): string {
  const raise = `or raise ${key} in config.yaml.`;
  if (scope === "turn") return `Send “go on”, ${raise}`;
  if (scope === "session") return `Start a new session, ${raise}`;
  const left = Math.ceil((dayStart(now) + dayMs - now) / 60_000);
  return `The next day begins at 00:00 UTC, in ${Math.floor(left / 60)} h ${left % 60} min; wait for it, ${raise}`;
}

const inUnit = (amount: number, unit: Unit): string =>
  unit === "usd" ? `${usdText(amount)} USD` : `${tokensText(amount)} ${amount === 1 ? "token" : "tokens"}`;
