import type { Session, StoredTurn } from "../../core/session.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Owner, Store } from "../../store/store.ts";
import { type ReviewEvery, reviewDue } from "../../transcript/review-due.ts";
import { reviewedUpTo } from "./past-reviews.ts";
import type { ReviewKind } from "./review-prompt.ts";

export type DueSettings = {
  readonly every: ReviewEvery;
  /** Is the tool on with which it would write? */
  readonly enabled: () => Promise<{ readonly memory: boolean; readonly skills: boolean }>;
};

export type DueDeps = {
  readonly store: Pick<Store, "sessions" | "reviews">;
  readonly isGone: (owner: Owner) => boolean;
  readonly settings: DueSettings;
};

/** A session, the last turn of it, and what of it is to be reviewed. */
export type Due = {
  readonly session: Session;
  readonly last: StoredTurn;
  readonly kinds: readonly ReviewKind[];
};

/** Calls that are further back than so many turns make nothing due any more. */
const lookedAt = 100;

/** What is due in a session as it is kept. `undefined`: nothing, or it is not what the owner said themselves. */
export async function dueIn(deps: DueDeps, id: SessionId): Promise<Due | undefined> {
  const { store, isGone, settings } = deps;
  if (settings.every.turns === 0 && settings.every.calls === 0) return undefined;
  const session = await store.sessions.get(id);
  if (session?.audience !== "owner" || session.parent !== undefined) return undefined;
  const [reviews, enabled] = await Promise.all([store.reviews.list(id), settings.enabled()]);
  const memory = reviewedUpTo(reviews, "memory", isGone);
  const skills = reviewedUpTo(reviews, "skills", isGone);
  const reviewed = {
    ...(memory === undefined ? {} : { memory }),
    ...(skills === undefined ? {} : { skills }),
  };
  const count = Math.max(lookedAt, 2 * settings.every.turns);
  // What both reviews had before them makes nothing due.
  const after = memory === undefined || skills === undefined ? {} : { after: [memory, skills] as const };
  const turns = await store.sessions.outline(id, { count, ...after });
  const due = reviewDue(turns, settings.every, { reviewed, enabled });
  const kinds = reviewKinds.filter((kind) => due[kind]);
  if (kinds.length === 0) return undefined;
  // Another one may have begun meanwhile.
  const newest = await store.sessions.lastTurns(id, 2);
  const last = newest.find((turn) => turn.id === turns.at(-1)?.turn.id);
  return last && { session, last, kinds };
}

export const reviewKinds: readonly ReviewKind[] = ["memory", "skills"];
