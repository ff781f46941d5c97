import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Store } from "../../store/store.ts";
import type { Reviewer } from "../index.ts";
import { askedReview } from "./asked-review.ts";
import { type Due, type DueDeps, dueIn } from "./due-session.ts";
import { leftOver } from "./left-over.ts";
import { type OneReviewDeps, type Reviewed, oneReview } from "./one-review.ts";
import { type ReviewBudget, type ReviewLimits, reviewBudget } from "./review-budget.ts";
import { reviewLanes } from "./review-lanes.ts";
import { type ReviewNews, learnedNews, notReviewed, reviewNews } from "./review-news.ts";

export type ReviewerDeps = DueDeps &
  OneReviewDeps & {
    readonly store: Pick<Store, "sessions" | "reviews" | "revisions" | "usage" | "leases">;
    readonly settings: DueDeps["settings"] & {
      readonly mode: "off" | "propose" | "auto";
      readonly limits: ReviewLimits;
    };
    /** Why nothing more may be spent on this session, if that is so. */
    readonly usedUp: (session: SessionId) => Promise<string | undefined>;
    /** Shows it where the session is open now. False: nowhere. */
    readonly tell: (session: SessionId, after: TurnId, notice: NoticeEvent) => boolean;
    readonly log: (line: string) => void;
  };

export type TellingReviewer = Reviewer & {
  /** What the next turn of a session tells about reviews, each once. Never rejects. */
  news(session: SessionId): Promise<readonly NoticeEvent[]>;
  /** Resolves when all that followed turns is over. */
  drain(): Promise<void>;
};

const lookEveryMs = 10 * 60_000;

export function reviewer(deps: ReviewerDeps): TellingReviewer {
  const { settings, clock, log } = deps;
  const lanes = reviewLanes<Reviewed>(clock, log);
  const turns = new Set<TurnId>();
  const news = newsKeeper(deps);
  let looked: number | undefined;
  let followed: Promise<unknown> = Promise.resolve();

  const review = async (due: Due, signal: AbortSignal): Promise<Reviewed> => {
    const budget = await allowance(deps, due);
    if (typeof budget === "string") {
      if (news.refuse(due.session.id, budget)) log(`review of ${due.session.id}: not started: ${budget}`);
      return { state: "failed", text: budget, learned: [] };
    }
    const own = [due.last.id];
    const mark = (id: TurnId): void => {
      own.push(id);
      turns.add(id);
    };
    mark(due.last.id);
    const came = await oneReview(deps, due, budget, signal, mark).finally(() => {
      for (const id of own) turns.delete(id);
    });
    if (came.state === "failed") log(`review of ${due.session.id} failed: ${came.text}`);
    news.tellNow(due, came);
    return came;
  };

  const reviewIfDue = (session: SessionId): Promise<Reviewed | undefined> =>
    lanes.run(session, async (signal) => {
      const due = await dueIn(deps, session);
      return due === undefined || signal.aborted ? undefined : review(due, signal);
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
      followed = Promise.all([followed, own]);
    },
    cancel: lanes.stop,
    async now(session) {
      const due = await askedReview(deps, session);
      return answerOf(await lanes.run(session, (signal) => review(due, signal)));
    },
    isReview: (turn) => turns.has(turn),
    news: news.of,
    drain: async () => void (await followed),
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
  if (came === undefined || came.state === "cancelled") return "Not finished: the next turn came first.";
  return came.state === "done" ? came.text : `It could not be done: ${came.text}`;
}

/** What there is to tell about reviews, each once: where the session is open at once, else with its next turn. */
function newsKeeper({ store, tell, log }: ReviewerDeps) {
  const told = new Set<string>();
  const refused = new Map<SessionId, string>();
  let lastRefusal = "";
  return {
    tellNow({ session, last }: Due, { learned }: Reviewed): void {
      for (const { key, notice } of learned.map(learnedNews)) {
        if (tell(session.id, last.id, notice)) told.add(key);
      }
    },
    /** False: it is the same as the time before. */
    refuse(session: SessionId, why: string): boolean {
      if (why === lastRefusal) return false;
      lastRefusal = why;
      refused.set(session, why);
      return true;
    },
    async of(session: SessionId): Promise<readonly NoticeEvent[]> {
      const found: readonly ReviewNews[] = await reviewNews(store, session).catch((error: unknown) => {
        log(`news of reviews of ${session}: ${String(error)}`);
        return [];
      });
      const why = refused.get(session);
      refused.delete(session);
      const fresh = found.filter(({ key }) => !told.has(key));
      for (const { key } of fresh) told.add(key);
      return [...fresh.map(({ notice }) => notice), ...(why === undefined ? [] : [notReviewed(why)])];
    },
  };
}
