import type { StoredCompaction } from "../../core/compaction.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { PastWindow, SessionCount, StoredMessage, StoredTurn, TurnRecord } from "../../core/session.ts";

/** Parts of a session, each read without the rest of it. */
export interface PastTable {
  /**
   * What models are given of it, with turns that were taken back: everything, or behind a summary its first turn and all
   * from the one on that the summary's border goes through.
   */
  given(id: SessionId): Promise<{
    readonly compactions: readonly StoredCompaction[];
    readonly turns: readonly StoredTurn[];
    readonly messages: readonly StoredMessage[];
  }>;
  /**
   * Turns opened after the mark, with their rows. `undefined`: what was there before is not as it was (a turn was taken back,
   * a part was summarised), or the event log does not reach back so far; then all has to be read.
   */
  since(id: SessionId, mark: ReadMark): Promise<SessionSince | undefined>;
  /** Turns with all of their rows and items, without those that were taken back, oldest first. */
  past(id: SessionId, window: PastWindow): Promise<StoredPast>;
  /**
   * The newest so many turns, oldest first, without what was said: of the messages only the person's, those that call tools and the
   * last one, and their beginnings. `after`: none up to the earlier one of these two.
   */
  outline(
    id: SessionId,
    of: { readonly count: number; readonly after?: readonly [TurnId, TurnId] },
  ): Promise<readonly TurnRecord[]>;
  /** `upTo`: messages only up to this `seq`. */
  count(id: SessionId, upTo?: number): Promise<SessionCount>;
}

/** How far somebody has read a session: its newest turn that has ended, and its last event at that time or before. */
export type ReadMark = { readonly turn: TurnId; readonly events: number };

export type SessionSince = {
  readonly turns: readonly StoredTurn[];
  readonly messages: readonly StoredMessage[];
};

/** `earlier`: how many messages came before those of the last turns. */
export type StoredPast = {
  readonly earlier: number;
  readonly turns: readonly {
    readonly turn: StoredTurn;
    readonly rows: readonly StoredMessage[];
    readonly items: readonly Item[];
  }[];
};
