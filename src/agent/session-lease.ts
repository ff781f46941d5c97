import { Refusal } from "../core/host.ts";
import type { SessionId } from "../core/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { noLongerNeeded } from "../lib/no-longer-needed.ts";
import { type Acquired, type Lease, type Owner, type Store, leaseHeartbeatMs } from "../store/store.ts";

/** A held lease. `lost` aborts when somebody else has taken the session over. */
export type HeldLease = { readonly lease: Lease; readonly lost: AbortSignal };

/**
 * The leases of this process: taken with the first piece of work of a session, kept alive by a heartbeat, given back
 * with the last. `hold` rejects with a Refusal when another process has the session.
 */
export type SessionLeases = {
  /** `take` gets the lease where it is not held yet. */
  hold(session: SessionId, take?: () => Promise<Acquired>): Promise<HeldLease>;
  release(session: SessionId, last?: LastWrite): Promise<void>;
  /** Does this process hold it already? */
  isHeld(session: SessionId): boolean;
};

/** The last write of a hold. `release`: it is to give the lease back in the same transaction. */
type LastWrite = (release: boolean) => Promise<void>;

type Entry = { users: number; readonly held: Promise<HeldLease>; readonly beat: AbortController };

type LeaseDeps = {
  readonly store: Store;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
};

export function sessionLeases(deps: LeaseDeps): SessionLeases {
  const entries = new Map<SessionId, Entry>();
  /** A lease on its way back: the next `hold` waits for it, or it would meet itself. */
  const leaving = new Map<SessionId, Promise<void>>();
  const { giveBack, again } = leavings(deps.store);

  return {
    isHeld: (session) => entries.has(session),
    async hold(session, take = () => acquire(session)) {
      for (;;) {
        const known = entries.get(session);
        const entry = known ?? open(session, take);
        entry.users += 1;
        try {
          return await entry.held;
        } catch (error) {
          if (entries.get(session) === entry) entries.delete(session);
          // What somebody else wanted was refused, and may have been only theirs.
          if (known === undefined) throw error;
        }
      }
    },
    async release(session, last) {
      const entry = entries.get(session);
      if (entry !== undefined) entry.users -= 1;
      if (entry === undefined || entry.users > 0) return last?.(false);
      entries.delete(session);
      entry.beat.abort(noLongerNeeded);
      const left = giveBack(entry, last).finally(() => {
        if (leaving.get(session) === left) leaving.delete(session);
      });
      leaving.set(session, left);
      await left;
    },
  };

  function open(session: SessionId, take: () => Promise<Acquired>): Entry {
    const beat = new AbortController();
    const entry = { users: 0, held: taken(session, take, beat.signal), beat };
    entries.set(session, entry);
    return entry;
  }

  async function taken(
    session: SessionId,
    take: () => Promise<Acquired>,
    beat: AbortSignal,
  ): Promise<HeldLease> {
    await leaving.get(session)?.catch(() => {});
    await again(session);
    const answer = await take();
    if ("busy" in answer) throw busyElsewhere(session, answer.busy);
    const lost = new AbortController();
    void heartbeat(deps, answer.lease, beat, lost);
    return { lease: answer.lease, lost: lost.signal };
  }

  function acquire(session: SessionId): Promise<Acquired> {
    return deps.store.leases.acquire(session, deps.owner, deps.clock.now(), deps.isGone);
  }
}

/** Gives leases back. One that cannot be, since the store cannot be written, is nobody's and still ours: it is before it is taken again. */
function leavings(store: Store) {
  const unreturned = new Map<SessionId, Lease>();
  const again = async (session: SessionId): Promise<void> => {
    const lease = unreturned.get(session);
    if (lease === undefined) return;
    await store.leases.release(lease);
    unreturned.delete(session);
  };
  return {
    again,
    async giveBack({ held }: Entry, last?: LastWrite): Promise<void> {
      const { lease, lost } = await held;
      if (lost.aborted) return last?.(false);
      unreturned.set(lease.session, lease);
      if (last === undefined) return again(lease.session);
      try {
        await last(true);
        unreturned.delete(lease.session);
      } catch (error) {
        await again(lease.session).catch(() => {}); // then with the next `hold`, or it is free when it has expired
        throw error;
      }
    },
  };
}

async function heartbeat(
  { store, clock }: Pick<LeaseDeps, "store" | "clock">,
  lease: Lease,
  beat: AbortSignal,
  lost: AbortController,
): Promise<void> {
  try {
    while (!beat.aborted) {
      await clock.sleep(leaseHeartbeatMs, beat);
      // A store that cannot write just now does not mean that the lease is gone; every write checks the epoch anyway.
      const renewed = await store.leases.renew(lease, clock.now()).catch(() => true);
      if (!renewed) return lost.abort(new Error("another process took this session over"));
    }
  } catch {
    // The sleep was cut short: the lease is being given back.
  }
}

const busyElsewhere = (session: SessionId, owner: Owner): Refusal =>
  new Refusal(
    "busy",
    `Session ${session} is busy in another process (pid ${owner.pid} on ${owner.host}). Nothing was done.`,
    "Wait until it has finished, stop it there, or start a new session.",
  );
