import type { EndedEvent, ModelSpend, NoticeEvent, Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import type { TurnChoices } from "../../core/host.ts";
import type { Session, StoredTurn } from "../../core/session.ts";
import { type Limit, costOfAll, spendsOf } from "../../core/spend.ts";
import { type StoredUsage, addTokens, tokenCount } from "../../core/usage.ts";
import { type Limits, overspent, usdKey, usedUp } from "./budgets.ts";
import type { AgentDeps, Spending } from "../index.ts";

/** What a turn spends while it runs, held against the budgets. */
export type TurnSpend = {
  /** Aborts when a budget is overspent. */
  readonly signal: AbortSignal;
  /** Why it may not even start. */
  refusal(): Promise<Fault | undefined>;
  /** The model that answers, as the runtime says. */
  started(model: string): void;
  /** Takes in what the runtime says it has used; gives it with its cost, and once what there is to say about that. */
  note(usage: Usage): Promise<{ readonly usage: Usage; readonly notice?: NoticeEvent }>;
  /** The end as it is kept: with the cost, and failed if a budget ended it. */
  settled(ended: EndedEvent, stopped: boolean): EndedEvent;
  rows(ended: EndedEvent): readonly StoredUsage[];
};

type Deps = Pick<AgentDeps, "store" | "clock" | "spending">;

type Spender = {
  readonly turn: StoredTurn;
  readonly session: Pick<Session, "id" | "parent">;
  readonly choices: Pick<TurnChoices, "budget">;
  readonly left?: Limit;
};

export function turnSpend(deps: Deps, { turn, session, choices, left }: Spender): TurnSpend {
  const { store, clock, spending } = deps;
  const limited = { store, clock, budgets: spending.budgets, own: choices.budget, key: left };
  // A delegated task is paid for by the session that delegated it.
  const payer = session.parent ?? session.id;
  const over = new AbortController();
  let fault: Fault | undefined;
  let model = turn.model ?? "";
  let latest: Usage | undefined;
  let isSaid = false;

  const spends = (usage: Usage): readonly ModelSpend[] => spendsIn(spending, { ...turn, model }, usage);

  return {
    signal: over.signal,
    refusal: () => usedUp(limited, payer),
    started: (name) => {
      model = name;
    },
    async note(usage) {
      const parts = spends(usage);
      latest = withCost(usage, parts);
      const spent = { tokens: tokenCount(parts.reduce(addTokens, nothing)), usd: knownCost(parts) };
      fault ??= await overspent(limited, payer, spent);
      if (fault !== undefined) over.abort(new Error("a budget is used up"));
      const notice = isSaid ? undefined : unpriced(limited, parts);
      isSaid ||= notice !== undefined;
      return { usage: latest, ...(notice === undefined ? {} : { notice }) };
    },
    settled(ended, stopped) {
      const usage = ended.usage ?? latest;
      const whole = usage === undefined ? ended : { ...ended, usage: withCost(usage, spends(usage)) };
      if (fault === undefined || stopped || ended.outcome !== "interrupted") return whole;
      return { ...whole, outcome: "failed", fault };
    },
    rows: (ended) => costRows(spending, { ...turn, model }, ended, clock.now()),
  };
}

/** The end of a turn during which a model may have been asked: if it was cut off, nobody said what that took. */
export function withUncounted(ended: EndedEvent): EndedEvent {
  const { outcome, fault } = ended;
  const isCut = outcome === "interrupted" || outcome === "unconfirmed" || fault?.code === "lost";
  return isCut ? { ...ended, uncounted: true } : ended;
}

/** The rows of a turn in the ledger, one for each model. What nobody said of a request that was cut off is not nothing. */
export function costRows(
  spending: Spending,
  turn: Pick<StoredTurn, "id" | "session" | "runtime" | "model">,
  { usage, uncounted }: Pick<EndedEvent, "usage" | "uncounted">,
  at: number,
): readonly StoredUsage[] {
  if (usage === undefined && uncounted === undefined) return [];
  const { id, session, runtime } = turn;
  const spends = spendsIn(spending, turn, usage ?? { ...nothing, context: { used: 0 } });
  return spends.map((spend, index) => ({
    at,
    session,
    turn: id,
    cause: "turn",
    runtime,
    ...spend,
    ...(uncounted === true && index === 0 ? { uncounted } : {}),
  }));
}

const spendsIn = (
  { provider, priceOf }: Spending,
  { model = "" }: Pick<StoredTurn, "model">,
  usage: Usage,
): readonly ModelSpend[] => spendsOf(usage, { provider, model }, priceOf);

function withCost(usage: Usage, parts: readonly ModelSpend[]): Usage {
  const { cost: _unsure, ...rest } = usage;
  const cost = costOfAll(parts);
  return { ...rest, ...(cost === undefined ? {} : { cost }) };
}

const knownCost = (parts: readonly ModelSpend[]): number =>
  parts.reduce((sum, { cost = 0 }) => sum + cost, 0);

const nothing = { input: 0, cached: 0, output: 0, reasoning: 0 } as const;

/** A budget in USD that cannot count what is being spent must not look as if it did. */
function unpriced(limits: Limits, parts: readonly ModelSpend[]): NoticeEvent | undefined {
  const unknown = parts.find(({ cost }) => cost === undefined);
  const key = usdKey(limits);
  if (unknown === undefined || key === undefined) return undefined;
  const { provider, model } = unknown;
  return {
    type: "notice",
    code: "no_price",
    text: `${key} does not hold here: no price of ${model} at ${provider} is known. Set providers.${provider}.prices in config.yaml, or a budget of tokens.`,
  };
}
