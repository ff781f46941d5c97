import type { NoticeEvent } from "../../core/events.ts";
import { Refusal } from "../../core/host.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { dayMs } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Reviewer } from "../index.ts";
import { type Due, type DueDeps, dueIn, reviewKinds } from "./due-session.ts";
import { type OneReviewDeps, type Reviewed, oneReview } from "./one-review.ts";
import { type ReviewBudget, type ReviewLimits, reviewBudget } from "./review-budget.ts";
import { reviewLanes } from "./review-lanes.ts";
import { type NewsDeps, newsKeeper } from "./review-news.ts";

export type ReviewerDeps = DueDeps &
  OneReviewDeps &
  NewsDeps & {
    readonly store: Pick<
      Store,
      "sessions" | "reviews" | "revisions" | "usage" | "leases" | "snapshots" | "meta"
    >;
    readonly settings: DueDeps["settings"] & {
      readonly mode: "off" | "propose" | "auto";
      readonly limits: ReviewLimits;
    };
    readonly turns: ReviewTurns;
    /** Why nothing more may be spent on this session, if that is so. */
    readonly usedUp: (session: SessionId) => Promise<string | undefined>;
  };

export type ReviewerWithNews = Reviewer & {
  /** What the next turn of a session tells about reviews, each once. Never rejects. */
  news(session: SessionId, hasRows?: boolean): Promise<readonly NoticeEvent[]>;
  /** Resolves when all that followed turns is over. */
  drain(): Promise<void>;
};

const lookEveryMs = 10 * 60_000;

export function reviewer(deps: ReviewerDeps): ReviewerWithNews {
  const { settings, turns, clock, log } = deps;
  const lanes = reviewLanes<Reviewed>(clock, log);
  const news = newsKeeper(deps);
  let looked: number | undefined;
  const followed = new Set<Promise<void>>();

  const review = async (due: Due, signal: AbortSignal): Promise<Reviewed> => {
    const budget = await allowance(deps, due);
    if (typeof budget === "string") {
      news.refused(due.session.id, budget);
      return { state: "failed", text: budget, learned: [] };
    }
    news.allowed(due.session.id);
    turns.add(due.last.id);
    const result = await oneReview(deps, due, budget, signal, turns.add);
    if (result.state === "failed") log(`review of ${due.session.id} failed: ${result.text}`);
    news.tellNow(due, result);
    if (budget.unpriced !== undefined) news.unpriced(due.session.id, budget.unpriced);
    return result;
  };

  const reviewIfDue = (session: SessionId): Promise<Reviewed | undefined> =>
    lanes.run(session, async (signal) => {
      const due = await dueIn(deps, session);
      if (due === undefined || signal.aborted) return undefined;
      const result = await review(due, signal);
      await announceFirstReview(deps, due, result);
      return result;
    });

  /** Sessions that other programs left unreviewed. There are many, so this is done only now and then. */
  const lookAround = async (): Promise<void> => {
    if (looked !== undefined && clock.now() - looked < lookEveryMs) return;
    looked = clock.now();
    const due = await leftoverReview(deps, lanes.sessions());
    if (due !== undefined) await reviewIfDue(due.session.id);
  };

  return {
    after(session, { outcome }) {
      if (settings.mode === "off" || outcome !== "done") return;
      const own = reviewIfDue(session)
        .then(lookAround)
        .catch((error: unknown) => log(`looking for sessions to review: ${String(error)}`));
      followed.add(own);
      void own.finally(() => followed.delete(own));
    },
    cancel: lanes.stop,
    async now(session) {
      const due = await askedReview(deps, session);
      return answerOf(await lanes.run(session, (signal) => review(due, signal)));
    },
    news: news.of,
    drain: async () => void (await Promise.all(followed)),
    [Symbol.asyncDispose]: () => lanes[Symbol.asyncDispose](),
  };
}

async function allowance(deps: ReviewerDeps, { session }: Due): Promise<ReviewBudget | string> {
  const spent = await deps.usedUp(session.id);
  if (spent !== undefined) return spent;
  return (
    (await reviewBudget(deps, deps.settings.limits)) ?? "learning.day_tokens is used up for today (UTC)."
  );
}

function answerOf(result: Reviewed | undefined): string {
  if (result === undefined) return "Not started: the next turn came first.";
  if (result.state === "cancelled") return `Not finished. ${result.text}`;
  return result.state === "done" ? result.text : `It could not be done: ${result.text}`;
}

const mostTurns = 200;

/** Which turns are of a review: then only memory and skill tools answer them. */
export type ReviewTurns = { has(turn: TurnId): boolean; add(turn: TurnId): void };

/** Knows the last ones: a call may go on after the review that made it was ended. */
export function reviewTurns(): ReviewTurns {
  const turns = new Set<TurnId>();
  return {
    has: (id) => turns.has(id),
    add(id) {
      turns.delete(id);
      turns.add(id);
      for (const oldest of turns) if (turns.size > mostTurns) turns.delete(oldest);
    },
  };
}

/** `/refine` asks for everything, whether it is due or not. Rejects with a Refusal when there is nothing to look at. */
async function askedReview({ store, settings }: DueDeps, id: SessionId): Promise<Due> {
  const session = await store.sessions.get(id);
  if (session === undefined)
    throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
  if (session.parent !== undefined)
    throw new Refusal("usage", "This session is work that another one handed on.", "Review that one.");
  if (session.audience !== "owner")
    throw new Refusal("usage", "Only what the owner says is learned from.", "Review a session of your own.");
  const turns = await store.sessions.turns(id);
  const last = turns.findLast(({ state, undone }) => state !== "open" && undone !== true);
  if (last === undefined)
    throw new Refusal("usage", "Nothing has been said in this session yet.", "Say something first.");
  const enabled = await settings.enabled();
  const kinds = reviewKinds.filter((kind) => enabled[kind]);
  if (kinds.length === 0) {
    const next = "Switch one on: talaria config set memory.enabled true, or skills.enabled true.";
    throw new Refusal("usage", "Memory and skills are both switched off.", next);
  }
  return { session, last, kinds };
}

const key = "first_review_told";

/** Nobody asked for the first review: that there was one, and what it cost, is said once in a home, when somebody is there. */
async function announceFirstReview(
  { store, tell }: Pick<NewsDeps, "tell"> & { readonly store: Pick<Store, "meta"> },
  { session, last }: Due,
  { spent }: Reviewed,
): Promise<void> {
  if (spent === undefined || (await store.meta.get(key)) !== undefined) return;
  if (tell(session.id, last.id, firstReviewNotice(spent))) await store.meta.set(key, "1");
}

const firstReviewNotice = ({ tokens, cost }: NonNullable<Reviewed["spent"]>): NoticeEvent => ({
  type: "notice",
  code: "first_review",
  text:
    `Talaria has looked back on this conversation to learn from it, for the first time: ${tokens.toLocaleString("en-US")} tokens` +
    `${cost === undefined ? "" : `, $${cost.toFixed(4)}`}. It does so now and then; \`talaria usage\` shows what it costs, ` +
    `and \`talaria config set learning.mode off\` ends it.`,
});

type Deps = DueDeps & {
  readonly store: Pick<Store, "sessions" | "reviews" | "leases" | "snapshots">;
  readonly clock: Clock;
};

/** Somebody who was there a moment ago may go on, and a process that has the session open reviews it itself. */
const restMs = 10 * 60_000;
const oldestMs = 7 * dayMs;
const most = 20;

/**
 * A session that was left before it could be reviewed: one of a program that ends with its turn, or that was ended. The
 * newest of those that have rested for a while.
 */
async function leftoverReview(deps: Deps, except: ReadonlySet<SessionId>): Promise<Due | undefined> {
  const { store, clock, isGone } = deps;
  const now = clock.now();
  const sessions = await store.sessions.list({ limit: most });
  for (const { id, updatedAt } of sessions) {
    if (except.has(id) || now - updatedAt < restMs || now - updatedAt > oldestMs) continue;
    const holder = await store.leases.holder(id);
    if (holder !== undefined && !isGone(holder.owner)) continue;
    // No snapshot: its turns ran without memory, so nothing of it should be remembered either.
    if ((await store.snapshots.get(id)) === undefined) continue;
    const due = await dueIn(deps, id);
    if (due !== undefined) return due;
  }
  return undefined;
}
