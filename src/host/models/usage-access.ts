import { limitUses, usedUp } from "../../agent/budget/budgets.ts";
import type { Spending } from "../../agent/index.ts";
import type { Config } from "../../config/config.ts";
import { priceIn } from "../../config/providers.ts";
import type { Fault } from "../../core/faults.ts";
import type { Calls } from "../../core/calls.ts";
import type { Prices } from "../../core/host.ts";
import type { SessionId } from "../../core/ids.ts";
import { priced } from "../../core/spend.ts";
import { type StoredUsage, addSums, dayMs, dayStart, nothingSpent, sumsBy } from "../../core/usage.ts";
import type { Foundation } from "../foundation.ts";

/** What the settings say about money. */
export const spendingOf = ({ model, providers, budgets }: Config): Spending => ({
  provider: model.provider,
  priceOf: (provider, name) => priceIn(providers, provider, name),
  budgets,
});

/** Which models a budget in USD can count. */
export function knownPrices({ loaded, routes }: Pick<Foundation, "loaded" | "routes">): Prices {
  const { model, providers } = loaded.config;
  const provider = providers[model.provider];
  return {
    model: routes.model,
    provider: model.provider,
    ...(provider?.kind === "route" ? { priced: Object.keys(provider.prices) } : {}),
  };
}

/** The ledger of costs for whoever asks a model beside the turns. */
export type CostLedger = {
  /** Why nothing more may be spent, if that is so. */
  readonly usedUp: (session: SessionId | undefined) => Promise<Fault | undefined>;
  /** Adds a row. */
  readonly record: (row: StoredUsage) => Promise<void>;
};

type Needs = Pick<Foundation, "store" | "clock" | "spending">;

export const costLedger = ({ store, clock, spending }: Needs): CostLedger => ({
  usedUp: (session) => usedUp({ store, clock, ...spending }, session),
  record: (row) => store.usage.add({ ...row, ...priced(row, spending.priceOf) }),
});

/** The ledger of costs as surfaces see it. */
export const usageAccess =
  ({ store, clock, spending: { budgets } }: Needs): Calls["usage.report"] =>
  async ({ session, days }) => {
    const from = days === undefined ? {} : { from: dayStart(clock.now()) - (days - 1) * dayMs };
    const groups = await store.usage.groups({ ...(session === undefined ? {} : { session }), ...from });
    const standing = await limitUses({ store, clock, budgets }, session);
    return {
      total: groups.reduce(addSums, nothingSpent),
      days: sumsBy(groups, ({ day }) => day),
      models: sumsBy(groups, ({ provider, model }) => `${provider}/${model}`),
      causes: sumsBy(groups, ({ cause }) => cause),
      roles: sumsBy(groups, ({ role = "nobody" }) => role),
      budgets: standing.map(({ key, spent, limit }) => ({ key, spent, limit })),
    };
  };
