import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Store } from "../../store/store.ts";
import type { Due } from "./due-session.ts";
import type { Reviewed } from "./one-review.ts";
import { type ReviewNews, learnedNews, notReviewed, reviewNews } from "./review-news.ts";

export type NewsDeps = {
  readonly store: Pick<Store, "sessions" | "revisions" | "reviews">;
  /** Shows it where the session is open now. False: nowhere. */
  readonly tell: (session: SessionId, after: TurnId, notice: NoticeEvent) => boolean;
  readonly log: (line: string) => void;
};

/** What there is to tell about reviews, each once: where the session is open at once, else with its next turn. */
export function newsKeeper({ store, tell, log }: NewsDeps) {
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
