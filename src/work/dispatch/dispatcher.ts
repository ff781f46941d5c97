import type { StoredInput } from "../../core/session.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DutyLease } from "../../store/schema/lease-tables.ts";
import type { Owner, Store } from "../../store/store.ts";

/**
 * Brings work to the executor when it is due. The row in the inbox is the truth: a dispatcher that brings it twice, or dies
 * before it has brought it, changes nothing about that it is done once.
 */
export interface Dispatcher extends AsyncDisposable {
  /** Something may have become due, or can go on, because of this process. What others have written it sees by itself. */
  changed(): void;
  /** Begins nothing more. What runs goes on. */
  stop(): void;
  /** Resolves when all that was begun has ended. */
  settled(): Promise<void>;
}

export type WorkSource = {
  /** Makes rows of what is due by now. Gives when it will have to be asked again, if nothing changes before. */
  plan(lease: DutyLease): Promise<number | undefined>;
  /**
   * Does it, to its end. later: it cannot be done now, and is brought again when something has changed. trouble: the same, and
   * after a while in any case, since nothing would say that it is over. Never rejects.
   */
  run(input: StoredInput): Promise<"done" | "later" | "trouble">;
};

export type DispatcherDeps = {
  readonly store: Pick<Store, "inbox" | "leases" | "events">;
  readonly source: WorkSource;
  /** How many pieces of work are under way at once. */
  readonly most: number;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};
