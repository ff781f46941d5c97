import { Refusal } from "../core/host.ts";
import { type SessionId, newId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";
import { betweenTurns, requireClosed } from "./between-turns.ts";
import type { Inside } from "./inside.ts";

/** Begins a new session with all that models are given of this one. */
export const fork = (inside: Inside, id: SessionId): Promise<Session> =>
  betweenTurns(inside, id, async ({ title }, { lease }) => {
    const { store, clock } = inside.deps;
    await requireClosed(inside.deps, id);
    const at = clock.now();
    const name = title === undefined ? {} : { title: `${title} (fork)` };
    const made = await store.sessions.fork(lease, { id: newId("ses", at), at, ...name });
    if (made !== undefined) return made;
    throw new Refusal("usage", "There is nothing to begin another session with.", "Say something first.");
  });
