import type { Fault } from "../../core/faults.ts";
import type { StoredTurn } from "../../core/session.ts";
import { leaseHeartbeatMs } from "../../store/store.ts";
import type { AgentShared } from "../agent-shared.ts";
import { closeOpenTurn, whileHeld } from "./reconcile.ts";

type Unkept = Pick<StoredTurn, "id" | "session">;

/**
 * For a turn that has ended here, but whose end the store could not take, because its disk was full, say. It is open there, and whoever
 * reads it there would wait for ever. The session's next turn closes it first; if none comes, this does, as soon as the store can be
 * written. Never rejects.
 */
export async function closeLater(shared: AgentShared, turn: Unkept, why: Fault): Promise<void> {
  const { deps, unkept } = shared;
  unkept.faults.set(turn.id, why);
  deps.log(`the end of turn ${turn.id} of ${turn.session} could not be kept yet: ${why.message}`);
  try {
    do await deps.clock.sleep(leaseHeartbeatMs, unkept.over.signal);
    while (!(await isClosed(shared, turn).catch(() => false)));
    unkept.faults.delete(turn.id);
  } catch {
    // This process ends: the next start closes it.
  }
}

async function isClosed(
  { deps, lanes, leases, unkept }: AgentShared,
  { id, session }: Unkept,
): Promise<boolean> {
  await lanes.run(session, () =>
    whileHeld(
      leases,
      session,
      async (held) => void (await closeOpenTurn(deps, held, session, unkept.faults)),
    ),
  );
  return (await deps.store.turns.get(id))?.state !== "open";
}
