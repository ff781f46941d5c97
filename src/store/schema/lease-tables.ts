import type { SessionId } from "../../core/ids.ts";
import type { Acquired, Lease, Owner } from "../store.ts";

/** What only one process may do at a time, besides writing a session. `bot:` and a hash of its token: it answers a chat. */
export type Duty = "tick" | `executor:${string}` | `bot:${string}`;

export type DutyLease = { readonly duty: Duty; readonly epoch: number };

type LeaseHolder = { readonly owner: Owner; readonly heartbeat: number };

/** A lease may exist before its session: it is taken before the first input is admitted. */
export interface LeaseTable {
  /**
   * Free, released, expired (no heartbeat for 30 s) or held by a process that `isGone` → a lease with the next epoch.
   * Held by anybody else, another part of the same process included → busy.
   */
  acquire(session: SessionId, owner: Owner, at: number, isGone: (owner: Owner) => boolean): Promise<Acquired>;
  /** The same for a duty. Its holder stops as soon as `renew` says false, and its writes check the epoch as a turn's do. */
  acquireDuty(
    duty: Duty,
    owner: Owner,
    at: number,
    isGone: (owner: Owner) => boolean,
  ): Promise<{ readonly lease: DutyLease } | { readonly busy: Owner }>;
  holder(session: SessionId): Promise<LeaseHolder | undefined>;
  dutyHolder(duty: Duty): Promise<LeaseHolder | undefined>;
  /** False: the lease is no longer ours. */
  renew(lease: Lease | DutyLease, at: number): Promise<boolean>;
  /** The epoch stays counted. */
  release(lease: Lease | DutyLease): Promise<void>;
}
