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
    readonly store: Pick<Store, "sessions" | "reviews" | "revisions" | "usage" | "leases" | "snapshots">;
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
/** Turns of reviews that are known. A call may go on after the review that made it was ended. */
const mostTurns = 200;

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
      news.refused(due.session.id, budget);
      return { state: "failed", text: budget, learned: [] };
    }
    news.allowed(due.session.id);
    const mark = (id: TurnId): void => {
      turns.delete(id);
      turns.add(id);
      for (const oldest of turns) if (turns.size > mostTurns) turns.delete(oldest);
    };
    mark(due.last.id);
    const came = await oneReview(deps, due, budget, signal, mark);
    if (came.state === "failed") log(`review of ${due.session.id} failed: ${came.text}`);
    news.tellNow(due, came);
    if (budget.unpriced !== undefined) news.unpriced(due.session.id, budget.unpriced);
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
      followed = Promise.all([followed, own]).then(() => {});
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
  if (came === undefined) return "Not begun: the next turn came first.";
  if (came.state === "cancelled") return `Not finished. ${came.text}`;
  return came.state === "done" ? came.text : `It could not be done: ${came.text}`;
}

/** What there is to tell about reviews, each once: where the session is open at once, else with its next turn. */
function newsKeeper({ store, tell, log }: ReviewerDeps) {
  const told = new Set<string>();
  const waiting = new Map<SessionId, NoticeEvent>();
  const refusals = new Set<string>();
  const logOnce = (session: SessionId, { text }: NoticeEvent, known: ReadonlySet<string>): void => {
    if (!known.has(text)) log(`review of ${session}: ${text}`);
  };
  return {
    tellNow({ session, last }: Due, { learned }: Reviewed): void {
      for (const { key, notice } of learned.map(learnedNews)) {
        if (tell(session.id, last.id, notice)) told.add(key);
      }
    },
    /** It was not begun. Until reviews are allowed again, that is said once, wherever a person is. */
    refused(session: SessionId, why: string): void {
      const notice = notReviewed(why);
      logOnce(session, notice, refusals);
      refusals.add(notice.text);
      waiting.set(session, notice);
    },
    allowed(session: SessionId): void {
      for (const text of refusals) told.delete(text);
      refusals.clear();
      waiting.delete(session);
    },
    unpriced(session: SessionId, text: string): void {
      const notice: NoticeEvent = { type: "notice", code: "no_price", text };
      logOnce(session, notice, told);
      waiting.set(session, notice);
    },
    async of(session: SessionId): Promise<readonly NoticeEvent[]> {
      const found: readonly ReviewNews[] = await reviewNews(store, session).catch((error: unknown) => {
        log(`news of reviews of ${session}: ${String(error)}`);
        return [];
      });
      const other = waiting.get(session);
      waiting.delete(session);
      const all = other === undefined ? found : [...found, { key: other.text, notice: other }];
      const fresh = all.filter(({ key }) => !told.has(key));
      for (const { key } of fresh) told.add(key);
      return fresh.map(({ notice }) => notice);
    },
  };
}
