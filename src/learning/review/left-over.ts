import type { SessionId } from "../../core/ids.ts";
import { dayMs } from "../../core/usage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { type Due, type DueDeps, dueIn } from "./due-session.ts";

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
export async function leftOver(deps: Deps, except: ReadonlySet<SessionId>): Promise<Due | undefined> {
  const { store, clock, isGone } = deps;
  const now = clock.now();
  const sessions = await store.sessions.list({ limit: most });
  for (const { id, updatedAt } of sessions) {
    if (except.has(id) || now - updatedAt < restMs || now - updatedAt > oldestMs) continue;
    const holder = await store.leases.holder(id);
    if (holder !== undefined && !isGone(holder.owner)) continue;
    // None of its turns was told what is remembered: whoever wants it so wants nothing of it remembered either.
    if ((await store.snapshots.get(id)) === undefined) continue;
    const due = await dueIn(deps, id);
    if (due !== undefined) return due;
  }
  return undefined;
}
