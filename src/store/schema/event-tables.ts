import type { DurableEvent, FollowedSession } from "../../core/event-log.ts";
import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";

/**
 * An event with its place. In one session the place is its number, among all sessions it is the global cursor: both grow
 * in the order of commits.
 */
export type StoredEvent = {
  readonly place: number;
  readonly number: number;
  readonly at: number;
  readonly session: SessionId;
  readonly turn?: TurnId;
  readonly event: DurableEvent;
};

export type EventPage = {
  readonly events: readonly StoredEvent[];
  readonly to: number;
  readonly more: boolean;
  readonly lost: boolean;
};

/** Everything after `from` up to `to` is kept. */
export type EventExtent = { readonly from: number; readonly to: number };

/**
 * The event log. Rows are written by the database itself, in the transaction of what happened, and refer to it; nobody
 * else appends but notices.
 */
export interface EventTable {
  /**
   * In order, those behind this place. `to`: the last of them, `more`: there may be more after it. `lost`: some in between
   * were pruned or deleted. Of turns that are left out nothing is read but that there were events.
   */
  after(
    of: FollowedSession,
    place: number,
    limit: number,
    isLeftOut?: (turn: TurnId) => boolean,
  ): Promise<EventPage>;
  /** What the person was told after the end of a turn. Before it, notices come with the next commit of the turn. */
  note(session: SessionId, turn: TurnId, notice: NoticeEvent, at: number): Promise<void>;
  extent(of: FollowedSession): Promise<EventExtent>;
  /** The place before the session's open turn; `undefined`: none is open, or its start is not kept. */
  startOfOpenTurn(session: SessionId): Promise<number | undefined>;
  /** By which cursors of another home are told apart. */
  home(): Promise<string>;
  /** Removes at most `steps` of the oldest that are older or more than that. Gives how many there were. */
  prune(keep: { readonly since: number; readonly events: number }, steps: number): Promise<number>;
  /**
   * Calls back soon after something was committed: `here` by this store, else by somebody else's. Nothing is asked of the
   * database while nobody watches.
   */
  watch(changed: (here: boolean) => void): Disposable;
}
