import type { Envelope, EventHeader, NoticeEvent, SaidEvent, TurnEvent } from "../core/events.ts";
import type { Follower, Listener, Unsubscribe } from "../core/host.ts";
import type { SessionId, TurnId } from "../core/ids.ts";

/** Far more than any follower is behind. */
const rememberedTurns = 10_000;

/** Hands events to whoever watches a session. A watcher that throws is logged and never delays or ends a turn. */
export type Hub = {
  /** `words`: also of what is typed. */
  subscribe(session: SessionId, listener: Listener, by?: Follower, words?: boolean): Unsubscribe;
  /** Hears all sessions, and counts as nobody's watcher. */
  overhear(listener: Listener): Unsubscribe;
  /** Says something after a turn, outside of its numbers. False: nobody watches the session. */
  tell(session: SessionId, turn: TurnId, event: NoticeEvent): boolean;
  /** Somebody's words, for those who want to hear them, outside of the numbers of their turn. */
  said(session: SessionId, turn: TurnId, event: SaidEvent): void;
  isWatched(session: SessionId): boolean;
  /** Is a person at this machine watching it? */
  isWatchedByPerson(session: SessionId): boolean;
  /** The turn runs in this process. Said before it is opened, so that nobody takes it for another's. */
  own(turn: TurnId): TurnId;
  isOwn(turn: TurnId): boolean;
  /** What another process said. */
  relay(event: Envelope): void;
  /** Publishes the events of one turn, numbered from 1. */
  publisher(session: SessionId, turn: TurnId): <Event extends TurnEvent>(event: Event) => EventHeader & Event;
};

type Watcher = { readonly by: Follower; readonly words: boolean };

export function hub(log: (line: string) => void): Hub {
  const listeners = new Map<SessionId, Map<Listener, Watcher>>();
  let overhearing: readonly Listener[] = [];
  const ownTurns = new Set<TurnId>();

  const hand = (event: Envelope, listener: Listener): void => {
    try {
      listener(event);
    } catch (error) {
      log(`a subscriber of ${event.session} failed on ${event.type}: ${String(error)}`);
    }
  };
  const publish = (event: Envelope): void => {
    for (const listener of listeners.get(event.session)?.keys() ?? []) hand(event, listener);
    for (const listener of overhearing) hand(event, listener);
  };

  return {
    subscribe(session, listener, by = "program", words = false) {
      // A copy: one may come or leave while they are called.
      listeners.set(session, new Map(listeners.get(session)).set(listener, { by, words }));
      return () => {
        const left = new Map(listeners.get(session));
        left.delete(listener);
        if (left.size > 0) listeners.set(session, left);
        if (left.size === 0) listeners.delete(session);
      };
    },
    overhear(listener) {
      overhearing = [...overhearing, listener];
      return () => void (overhearing = overhearing.filter((each) => each !== listener));
    },
    own(turn) {
      ownTurns.add(turn);
      const [oldest] = ownTurns;
      if (ownTurns.size > rememberedTurns && oldest !== undefined) ownTurns.delete(oldest);
      return turn;
    },
    isOwn: (turn) => ownTurns.has(turn),
    relay: publish,
    isWatched: (session) => listeners.has(session),
    isWatchedByPerson: (session) =>
      [...(listeners.get(session)?.values() ?? [])].some(({ by }) => by === "person"),
    said(session, turn, event) {
      const envelope = { v: 1, seq: 0, session, turn, ...event } as const;
      for (const [listener, { words }] of listeners.get(session) ?? []) if (words) hand(envelope, listener);
    },
    tell(session, turn, event) {
      if (!listeners.has(session)) return false;
      publish({ v: 1, seq: 0, session, turn, ...event });
      return true;
    },
    publisher(session, turn) {
      let seq = 0;
      return (event) => {
        seq += 1;
        const envelope = { v: 1 as const, seq, session, turn, ...event };
        publish(envelope as Envelope);
        return envelope;
      };
    },
  };
}
