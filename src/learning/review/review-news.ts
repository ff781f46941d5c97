import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import { short } from "../../core/plain-text.ts";
import type { Store } from "../../store/store.ts";

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
  const last = (await store.sessions.turns(session)).findLast(({ state }) => state !== "open");
  if (last === undefined) return [];
  const learned = await learnedSince(store, session, last.startedAt);
  return [...learned.map(learnedNews), ...(await trouble(store, session, last.startedAt))];
}

/** `key`: by it a notice that was seen already is known. */
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
