import type { Handlers } from "../../core/calls.ts";
import { Refusal } from "../../core/host.ts";
import type { InboxId, SessionId } from "../../core/ids.ts";
import { type Principal, isSamePerson } from "../../core/principal.ts";
import type { StoredInput } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Lease, Owner, Store } from "../../store/store.ts";

/** Deletes what was said, for good. */
export function deleting(
  store: Store,
  owner: Owner,
  isGone: (owner: Owner) => boolean,
  clock: Clock,
): Handlers<"sessions.delete" | "inputs.delete"> {
  // Under the lease, so that no process can be writing to it.
  const takeFrom = async (session: SessionId): Promise<Lease> => {
    const answer = await store.leases.acquire(session, owner, clock.now(), isGone);
    if (!("busy" in answer)) return answer.lease;
    throw new Refusal("busy", `Session ${session} is busy (pid ${answer.busy.pid}).`, "Stop it there first.");
  };
  return {
    async "sessions.delete"({ session }) {
      await takeFrom(session);
      await store.sessions.delete(session);
      return null;
    },
    async "inputs.delete"({ inbox }, caller) {
      const { session, state } = await ownInput(store, inbox, caller);
      const turns = await store.sessions.turns(session);
      if (state === "waiting" || turns.some((turn) => turn.state === "open")) throw notEnded(session);
      if (turns.length > 1) throw saysMore(session);
      const lease = await takeFrom(session);
      if (await store.sessions.delete(session, inbox)) return null;
      await store.leases.release(lease);
      throw saysMore(session);
    },
  };
}

async function ownInput(store: Store, inbox: InboxId, by: Principal): Promise<StoredInput> {
  const input = await store.inbox.get(inbox);
  if (input !== undefined && isSamePerson(input.from, by)) return input;
  throw new Refusal("not_found", `There is no message "${inbox}" of yours.`, "It may be gone already.");
}

const notEnded = (session: SessionId): Refusal =>
  new Refusal("busy", `A turn of ${session} is not over yet.`, "Stop it first, or wait for its end.");

const saysMore = (session: SessionId): Refusal =>
  new Refusal(
    "busy",
    "More was said in its session, and would be lost with it.",
    `Delete the whole session: talaria sessions delete ${session}, or sessions.delete with a key that has admin.`,
  );
