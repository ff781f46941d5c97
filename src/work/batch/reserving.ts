import type { StoredInput } from "../../core/session.ts";
import type { Limit, TurnLimit } from "../../core/spend.ts";
import type { BatchStop } from "../../core/work/batch.ts";
import type { Clock } from "../../lib/clock.ts";
import type { WorkLimit, WorkUse } from "../../store/schema/work-tables.ts";
import type { Store } from "../../store/store.ts";
import { takeOut } from "../budget/allowance.ts";
import { amount } from "../budget/limits.ts";
import { workPause } from "../pause.ts";
import { type WorkSettings, turnLimit } from "../runner.ts";

type Deps = { readonly store: Store; readonly settings: WorkSettings; readonly clock: Clock };

/** `limit`: it may begin, and use so much. `full`: unless others of the batch give back what they do not need. */
export type Reserved = { readonly limit: TurnLimit } | BatchStop | { readonly full: BatchStop };

const ownKey = "--budget";

/** Takes what a line may use out of all budgets, before it begins. */
export async function reserve(deps: Deps, input: StoredInput, isAlone: boolean): Promise<Reserved> {
  const { store, settings } = deps;
  const paused = await workPause(store);
  if (paused !== undefined)
    return {
      stopped: "paused",
      why: `all work is paused, by ${paused.by}`,
      next: "`talaria work resume` lets it go on; then type the same command again.",
    };
  const subject = input.work?.subject ?? "";
  const ofBatch = ownLimits(input.work?.terms.total, subject);
  // The last ones have what the others left, unless that is too little for one of them.
  const left = isAlone ? await leftOf(store, ofBatch) : {};
  if ("spent" in left) return stopped(left.spent);
  const limit = smaller(turnLimit(settings, input), left);
  const { tokens = 0, usd = 0 } = limit;
  const full = await takeOut(deps, { inbox: input.id, origin: "batch", subject, tokens, usd }, ofBatch);
  return full === undefined ? { limit } : { full: stopped(full) };
}

function stopped(full: WorkUse): BatchStop {
  const next =
    full.key === ownKey
      ? "Type the same command with a larger --budget to go on."
      : `Raise ${full.key}, or type the same command again tomorrow.`;
  return { stopped: "budget", why: `${full.key} does not allow more: ${amount(full)} are taken`, next };
}

const ownLimits = (total: Limit | undefined, subject: string): readonly WorkLimit[] =>
  (["tokens", "usd"] as const).flatMap((unit) => {
    const limit = total?.[unit];
    return limit === undefined ? [] : [{ key: ownKey, unit, limit, since: 0, subject }];
  });

/** Twice as much as lines took so far, on average, is enough to begin one. */
async function leftOf(
  { workSpend }: Store,
  limits: readonly WorkLimit[],
): Promise<Limit | { readonly spent: WorkUse }> {
  const [first] = limits;
  if (first === undefined) return {};
  const [turns, ...uses] = await workSpend.uses([{ ...first, unit: "turns" }, ...limits]);
  const many = turns?.used ?? 0;
  const spent = uses.find(({ used, limit }) => limit - used < (many === 0 ? 0 : (2 * used) / many));
  if (spent !== undefined) return { spent };
  return Object.fromEntries(uses.map(({ unit, used, limit }) => [unit, limit - used]));
}

const smaller = (limit: TurnLimit, left: Limit): TurnLimit => ({
  ...limit,
  ...(left.tokens === undefined ? {} : { tokens: Math.min(left.tokens, limit.tokens ?? left.tokens) }),
  ...(left.usd === undefined ? {} : { usd: Math.min(left.usd, limit.usd ?? left.usd) }),
});
