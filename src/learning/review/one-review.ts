import type { Outcome, Usage } from "../../core/events.ts";
import type { Fault } from "../../core/faults.ts";
import { type TurnId, newId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import type { Session, StoredTurn } from "../../core/session.ts";
import { type PriceOf, spendsOf } from "../../core/spend.ts";
import { type Clock, timeLimit } from "../../lib/clock.ts";
import { isSameProcess } from "../../lib/process/process-identity.ts";
import type { Owner, Store } from "../../store/store.ts";
import type { Due } from "./due-session.ts";
import { usedUpWords } from "./past-reviews.ts";
import { type ReviewBudget, freshTokens } from "./review-budget.ts";
import { learnedLine, learnedSince } from "./review-news.ts";
import { reviewPrompt } from "./review-prompt.ts";

/** A prompt to be run beside a session's conversation, with the tools of memory and skills alone. */
export type ReviewTurn = {
  readonly session: Session;
  /** The last turn that it has before it: what it learns comes from there. */
  readonly last: StoredTurn;
  readonly id: TurnId;
  readonly prompt: string;
  readonly onUsage: (usage: Usage, at: ReviewModel) => void;
};

export type ReviewModel = { readonly provider: string; readonly model: string };

/** `model` is empty if none was reached. */
export type ReviewEnd = ReviewModel & {
  readonly runtime: string;
  readonly outcome: Outcome;
  readonly fault?: Fault;
  readonly usage?: Usage;
};

/** Never rejects. */
export type RunReview = (turn: ReviewTurn, signal: AbortSignal) => Promise<ReviewEnd>;

export type OneReviewDeps = {
  readonly store: Pick<Store, "reviews" | "revisions" | "usage">;
  readonly run: RunReview;
  readonly priceOf: PriceOf;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
};

/** `text`: what came of it, for people. */
export type Reviewed = {
  readonly state: "done" | "cancelled" | "failed";
  readonly text: string;
  readonly learned: readonly Revision[];
  /** What it used, if a model was reached. `cost`: in USD, if all of it has a price. */
  readonly spent?: { readonly tokens: number; readonly cost?: number };
};

const longestMs = 120_000;

/** Reviews a session once. `signal` is the next turn, which comes first. Rejects when it could not be kept. */
export async function oneReview(
  deps: OneReviewDeps,
  due: Due,
  budget: ReviewBudget,
  signal: AbortSignal,
  onTurn: (id: TurnId) => void,
): Promise<Reviewed> {
  const { store, owner, clock } = deps;
  const { session, last, kinds } = due;
  const at = clock.now();
  const rows: number[] = [];
  const end = async ({ state, text }: Reviewed, tokens: number): Promise<void> => {
    for (const [place, row] of rows.entries()) {
      // Two kinds are reviewed in one turn: its tokens count once.
      await store.reviews.end(row, { state, result: text, tokens: place === 0 ? tokens : 0 });
    }
  };
  try {
    for (const kind of kinds) {
      rows.push(await store.reviews.begin({ session: session.id, kind, upTo: last.id, at }, owner));
    }
    const [reviewed, tokens] = (await isTaken(deps, session, at))
      ? ([reviewedElsewhere, 0] as const)
      : await askModel(deps, due, budget, { signal, onTurn, at });
    await end(reviewed, tokens);
    return reviewed;
  } catch (error) {
    // While this process lives, a row left in `running` would count as a finished review.
    await end({ ...reviewedElsewhere, state: "failed", text: String(error) }, 0).catch(() => {}); // the error says more
    throw error;
  }
}

const reviewedElsewhere: Reviewed = {
  state: "cancelled",
  text: "Another process reviews it just now.",
  learned: [],
};

/** Two processes may find the same session due. The first of them has it. */
async function isTaken(
  { store, owner, isGone, clock }: OneReviewDeps,
  { id }: Session,
  at: number,
): Promise<boolean> {
  const rows = await store.reviews.list(id);
  const first = rows.findIndex((row) => row.at === at && isSameProcess(row.owner, owner));
  return rows
    .slice(0, first)
    .some(
      (row) =>
        row.state === "running" &&
        !isSameProcess(row.owner, owner) &&
        !isGone(row.owner) &&
        clock.now() - row.at < 2 * longestMs,
    );
}

type ReviewContext = {
  readonly signal: AbortSignal;
  readonly onTurn: (id: TurnId) => void;
  readonly at: number;
};

/** Returns the result and the tokens that it used. */
async function askModel(
  deps: OneReviewDeps,
  { session, last, kinds }: Due,
  budget: ReviewBudget,
  { signal, onTurn, at }: ReviewContext,
): Promise<readonly [Reviewed, number]> {
  const { store, clock } = deps;
  const id = newId("trn", at);
  onTurn(id);
  using limit = timeLimit(clock, longestMs);
  const turn = { session, last, id, prompt: reviewPrompt(kinds), onUsage: budget.note };
  const ended = await deps.run(turn, AbortSignal.any([signal, limit.signal, budget.signal]));
  const spent = await record(deps, session, ended);
  const learned = await learnedSince(store, session.id, at);
  const reviewed = resultOf(ended, learned, {
    cancelled: signal.aborted,
    late: limit.signal.aborted,
    budget,
  });
  return [
    { ...reviewed, ...(spent === undefined ? {} : { spent }) },
    ended.usage === undefined ? 0 : freshTokens(ended.usage),
  ];
}

/** Each model that was asked has its line, also when nothing came of it. */
async function record(
  { store, priceOf, clock }: OneReviewDeps,
  { id }: Session,
  ended: ReviewEnd,
): Promise<Reviewed["spent"]> {
  const { usage, runtime, provider, model } = ended;
  if (usage === undefined) return undefined;
  const common = { at: clock.now(), session: id, cause: "background_review", runtime } as const;
  const spends = spendsOf(usage, { provider, model }, priceOf);
  for (const spend of spends) await store.usage.add({ ...common, ...spend });
  const tokens = usage.input + usage.output;
  if (spends.some(({ cost }) => cost === undefined)) return { tokens };
  return { tokens, cost: spends.reduce((sum, { cost = 0 }) => sum + cost, 0) };
}

type HowEnded = { readonly cancelled: boolean; readonly late: boolean; readonly budget: ReviewBudget };

function resultOf(
  { outcome, fault }: ReviewEnd,
  learned: readonly Revision[],
  { cancelled, late, budget }: HowEnded,
): Reviewed {
  if (outcome === "done" || outcome === "unconfirmed") {
    const text = learned.length === 0 ? "Nothing to learn from it." : learned.map(learnedLine).join("\n");
    return { state: "done", text, learned };
  }
  if (cancelled)
    return { state: "cancelled", text: "The next turn came first, or Talaria was ended.", learned };
  const why =
    budget.over === undefined
      ? late
        ? `it took longer than ${longestMs / 1000} seconds.`
        : (fault?.message ?? "it ended without an answer.")
      : `${usedUpWords} ${budget.over}.`;
  return { state: "failed", text: why, learned };
}
