import { Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Session } from "../core/session.ts";
import type { AgentShared } from "./agent-shared.ts";
import type { AgentDeps } from "./index.ts";
import type { HeldLease } from "./session-lease.ts";

/**
 * Does something to a session between two turns, under its lease. What is sent meanwhile waits for it. Rejects with a
 * Refusal while a turn of the session runs, here or elsewhere, or when there is none.
 */
export async function betweenTurns<T>(
  shared: AgentShared,
  id: SessionId,
  work: (session: Session, held: HeldLease) => Promise<T>,
): Promise<T> {
  const { deps, leases, lanes, jobs } = shared;
  if (shared.closing) {
    throw new Refusal("stopping", "Talaria is shutting down.", "Do it again after the restart.");
  }
  if (jobs.has(id)) throw busyHere(id);
  // Asked for at once: what is sent a moment later comes after it.
  const asked = leases.hold(id);
  asked.catch(() => {}); // told below
  return lanes.run(id, async () => {
    const held = await asked;
    try {
      // One may have begun while the lease was on its way.
      if (jobs.has(id)) throw busyHere(id);
      return await work(await requireSession(deps, id), held);
    } finally {
      await leases.release(id);
    }
  });
}

/** What was left open is closed with the next turn or start; until then nobody can say what the turn will be. */
export async function requireNoOpenTurn({ store }: AgentDeps, id: SessionId): Promise<void> {
  const open = await store.turns.listOpen();
  if (!open.some(({ session }) => session === id)) return;
  throw new Refusal(
    "busy",
    `A turn of session ${id} was cut off and is not closed yet.`,
    "Send a message in it: that closes it.",
  );
}

export async function requireSession({ store }: Pick<AgentDeps, "store">, id: SessionId): Promise<Session> {
  const session = await store.sessions.get(id);
  if (session !== undefined) return session;
  throw new Refusal("not_found", `There is no session ${id}.`, "See `talaria sessions list`.");
}

export const busyHere = (session: SessionId): Refusal =>
  new Refusal("busy", `Session ${session} is busy with a turn.`, "Wait for it, or stop it first.");
