import type { NewCompaction, StoredCompaction } from "../../core/compaction.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Lease } from "../store.ts";

/** Writes check the lease's epoch in the same transaction and throw StaleLeaseError. */
export interface CompactionTable {
  add(lease: Lease, compaction: NewCompaction): Promise<StoredCompaction>;
  /** Oldest first. */
  list(session: SessionId): Promise<readonly StoredCompaction[]>;
  /** False: there is no such one. */
  remove(lease: Lease, id: number): Promise<boolean>;
  /** A line that is there already stays where it is. */
  pin(lease: Lease, line: string): Promise<void>;
  /** False: it was not pinned. */
  unpin(lease: Lease, line: string): Promise<boolean>;
  pins(session: SessionId): Promise<readonly string[]>;
}
