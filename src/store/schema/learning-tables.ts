import type { RevisionId, SessionId } from "../../core/ids.ts";
import type {
  Revision,
  RevisionFilter,
  RevisionState,
  StoredReview,
  StoredUse,
  UseSum,
} from "../../core/learning.ts";
import type { Owner } from "../store.ts";

/** Every change of what is learned. Rows stay; `forget` empties them. */
export interface RevisionTable {
  add(revision: Revision): Promise<void>;
  /**
   * Only from that state. False: it is in another one, or there is none. `before`/`after`: as it was really done, `null`
   * for no file.
   */
  settle(
    id: RevisionId,
    from: RevisionState,
    to: {
      readonly state: RevisionState;
      readonly at: number;
      readonly by?: string;
      readonly why?: string;
      readonly before?: string | null;
      readonly after?: string | null;
    },
  ): Promise<boolean>;
  /** The one that made the file what it is: of all active ones that which was decided last. */
  latest(file: string): Promise<Revision | undefined>;
  /** Newest first. */
  list(filter: RevisionFilter): Promise<readonly Revision[]>;
  /** Those whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly Revision[]>;
  /** Empties all texts of these, and of those in `named` the file name, too. The rows stay. */
  forget(ids: readonly RevisionId[], named?: readonly RevisionId[]): Promise<void>;
}

export interface ReviewTable {
  /** Gives its number. It is `running` until it is ended, or its process is gone. */
  begin(review: Pick<StoredReview, "session" | "kind" | "upTo" | "at">, owner: Owner): Promise<number>;
  end(
    id: number,
    how: Pick<StoredReview, "tokens" | "result"> & {
      readonly state: Exclude<StoredReview["state"], "running">;
    },
  ): Promise<void>;
  /** The newest 40, oldest first. */
  list(session: SessionId): Promise<readonly (StoredReview & { readonly owner: Owner })[]>;
  /** Removes the results that match. */
  forget(matches: (result: string) => boolean): Promise<void>;
}

export interface LearnedUseTable {
  /** Each is counted once for a turn. */
  add(uses: readonly StoredUse[]): Promise<void>;
  /** Most used first. */
  sums(kind: StoredUse["kind"]): Promise<readonly UseSum[]>;
  /**
   * How many calls ended turns made: the newest `most` that had it, and as many before `learnedAt` that did not, newest
   * first, in the same folders. Turns of delegated work do not count.
   */
  compare(of: {
    readonly kind: StoredUse["kind"];
    readonly name: string;
    readonly learnedAt: number;
    readonly most: number;
  }): Promise<{ readonly having: TurnCalls; readonly before: TurnCalls }>;
  /** By day (UTC) from then on, oldest first; a day without any is left out. `turns` and `calls`: of all ended turns. */
  days(from: number): Promise<readonly (TurnCalls & { readonly day: string; readonly uses: number })[]>;
  forget(kind: StoredUse["kind"], name: string): Promise<void>;
}

/** A number of turns, and of the tool calls in all of them. */
export type TurnCalls = { readonly turns: number; readonly calls: number };

/** What a session's model is told of memory and skills, from its first turn on. */
export interface SnapshotTable {
  get(session: SessionId): Promise<string | undefined>;
  /** The first one stays. Returns the one that is stored. */
  keep(session: SessionId, text: string): Promise<string>;
  /** Removes those that match. Returns their sessions. */
  forget(matches: (text: string) => boolean): Promise<readonly SessionId[]>;
}
