import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import type { Store } from "../../store/store.ts";
import type { Due } from "./due-session.ts";
import type { Reviewed } from "./one-review.ts";

export type NewsDeps = {
  readonly store: Pick<Store, "sessions" | "revisions" | "reviews">;
  /** Shows it where the session is open now. False: nowhere. */
  readonly tell: (session: SessionId, after: TurnId, notice: NoticeEvent) => boolean;
  readonly log: (line: string) => void;
};

/** What there is to tell about reviews, each once: where the session is open at once, else with its next turn. */
export function newsKeeper({ store, tell, log }: NewsDeps) {
  const shown = new Set<string>();
  const waiting = new Map<SessionId, NoticeEvent>();
  const refusals = new Set<string>();
  const logOnce = (session: SessionId, { text }: NoticeEvent, known: ReadonlySet<string>): void => {
    if (!known.has(text)) log(`review of ${session}: ${text}`);
  };
  return {
    tellNow({ session, last }: Due, { learned }: Reviewed): void {
      for (const { key, notice } of learned.map(learnedNews)) {
        if (tell(session.id, last.id, notice)) shown.add(key);
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
      for (const text of refusals) shown.delete(text);
      refusals.clear();
      waiting.delete(session);
    },
    unpriced(session: SessionId, text: string): void {
      const notice: NoticeEvent = { type: "notice", code: "no_price", text };
      logOnce(session, notice, shown);
      waiting.set(session, notice);
    },
    /** `hasRows`: false if it is known that the session was never reviewed. */
    async of(session: SessionId, hasRows = true): Promise<readonly NoticeEvent[]> {
      const looking = hasRows ? reviewNews(store, session) : Promise.resolve([]);
      const found: readonly ReviewNews[] = await looking.catch((error: unknown) => {
        log(`news of reviews of ${session}: ${String(error)}`);
        return [];
      });
      const other = waiting.get(session);
      waiting.delete(session);
      const all = other === undefined ? found : [...found, { key: other.text, notice: other }];
      const fresh = all.filter(({ key }) => !shown.has(key));
      for (const { key } of fresh) shown.add(key);
      return fresh.map(({ notice }) => notice);
    },
  };
}

type Source = Pick<Store, "sessions" | "revisions" | "reviews">;

const most = 20;

/** What reviews have changed or proposed in this session since then, oldest first. */
export async function learnedSince(
  { revisions }: Pick<Store, "revisions">,
  session: SessionId,
  since: number,
): Promise<readonly Revision[]> {
  const found = await revisions.list({ limit: 200, since, states: ["active", "proposed"] });
  return found
    .filter((revision) => revision.by === "review" && revision.session === session)
    .slice(0, most)
    .toReversed();
}

/**
 * What a session's next turn tells of the reviews since its last one began. They come in between, whichever process ran
 * them, so that nothing has to be kept about what was told.
 */
export async function reviewNews(store: Source, session: SessionId): Promise<readonly ReviewNews[]> {
  // Most sessions have none.
  if ((await store.reviews.list(session)).length === 0) return [];
  const last = (await store.sessions.lastTurns(session, 2)).findLast(({ state }) => state !== "open");
  if (last === undefined) return [];
  const learned = await learnedSince(store, session, last.startedAt);
  return [...learned.map(learnedNews), ...(await trouble(store, session, last.startedAt))];
}

/** `key`: tells whether a notice was shown before. */
export type ReviewNews = { readonly key: string; readonly notice: NoticeEvent };

export const learnedNews = (revision: Revision): ReviewNews => ({
  key: revision.id,
  notice: { type: "notice", code: "learned", text: learnedLine(revision) },
});

export function learnedLine({ state, summary, id }: Revision): string {
  const text = short(summary, 160);
  return state === "proposed"
    ? `Proposed, and waits for you: ${text} (talaria learned show ${id})`
    : `Learned: ${text} (talaria learned show ${id})`;
}

/** The same reason as the time before is not said again. */
async function trouble(store: Source, session: SessionId, since: number): Promise<readonly ReviewNews[]> {
  const failed = (await store.reviews.list(session)).filter(({ state }) => state === "failed");
  const last = failed.at(-1);
  if (last?.result === undefined || last.at < since) return [];
  const earlier = failed.findLast(({ at }) => at < last.at);
  if (earlier?.result === last.result) return [];
  return [{ key: `${session}:${last.at}`, notice: notReviewed(last.result) }];
}

export const notReviewed = (why: string): NoticeEvent => ({
  type: "notice",
  code: "review",
  text: `This conversation could not be reviewed: ${short(why, 300)}`,
});
