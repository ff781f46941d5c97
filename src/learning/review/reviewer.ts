import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Store } from "../../store/store.ts";
import type { Reviewer } from "../index.ts";
import { askedReview } from "./asked-review.ts";
import { type Due, type DueDeps, dueIn } from "./due-session.ts";
import { tellFirst } from "./first-review.ts";
import { leftOver } from "./left-over.ts";
import { type OneReviewDeps, type Reviewed, oneReview } from "./one-review.ts";
import { type ReviewBudget, type ReviewLimits, reviewBudget } from "./review-budget.ts";
import { reviewLanes } from "./review-lanes.ts";
import { type NewsDeps, newsKeeper } from "./news-keeper.ts";

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

export type TellingReviewer = Reviewer & {
  /** What the next turn of a session tells about reviews, each once. Never rejects. */
  news(session: SessionId): Promise<readonly NoticeEvent[]>;
  /** Resolves when all that followed turns is over. */
  drain(): Promise<void>;
};

const lookEveryMs = 10 * 60_000;

export function reviewer(deps: ReviewerDeps): TellingReviewer {
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
    const came = await oneReview(deps, due, budget, signal, turns.add);
    if (came.state === "failed") log(`review of ${due.session.id} failed: ${came.text}`);
    news.tellNow(due, came);
    if (budget.unpriced !== undefined) news.unpriced(due.session.id, budget.unpriced);
    return came;
  };

  const reviewIfDue = (session: SessionId): Promise<Reviewed | undefined> =>
    lanes.run(session, async (signal) => {
      const due = await dueIn(deps, session);
      if (due === undefined || signal.aborted) return undefined;
      const came = await review(due, signal);
      await tellFirst(deps, due, came);
      return came;
    });

  /** What other programs have left. Sessions are many, so this is done now and then. */
  const lookAround = async (): Promise<void> => {
    if (looked !== undefined && clock.now() - looked < lookEveryMs) return;
    looked = clock.now();
    const due = await leftOver(deps, lanes.sessions());
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

function answerOf(came: Reviewed | undefined): string {
  if (came === undefined) return "Not begun: the next turn came first.";
  if (came.state === "cancelled") return `Not finished. ${came.text}`;
  return came.state === "done" ? came.text : `It could not be done: ${came.text}`;
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
