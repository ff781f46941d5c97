import type { Running } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Owner } from "../store.ts";

export type ChildRecord = {
  readonly pid: number;
  readonly startTime: string;
  readonly kind: string;
  readonly owner: Owner;
};

/** Children that must not outlive us, on the machine of their owner. */
export interface ProcessTable {
  add(child: ChildRecord): Promise<void>;
  remove(child: Omit<ChildRecord, "kind">): Promise<void>;
  list(): Promise<readonly ChildRecord[]>;
}

/** What turns have left running, for each process that ran them. */
export interface LeftRunningTable {
  /** All there is now; none forgets it. */
  note(session: SessionId, owner: Owner, running: readonly Running[]): Promise<void>;
  /** What processes that are gone had left running; it counts as told when this resolves. */
  takeLeft(session: SessionId, isGone: (owner: Owner) => boolean): Promise<readonly Running[]>;
}
