import type { SessionId, TurnId } from "../core/ids.ts";
import type { ReadMark } from "../store/schema/past-table.ts";
import type { Store } from "../store/store.ts";
import { messageSize } from "../transcript/numbered-turn.ts";
import { type SessionHistory, loadGivenHistory, withMore } from "./session-history.ts";

/** What models are given of sessions that had a turn lately, so that a turn reads only what has come since the one before it. */
export type KnownHistories = {
  /** The history before the open turn `turn`. `events`: the session's last event before that turn began, if it is known. */
  before(session: SessionId, turn: TurnId, events: number | undefined): Promise<SessionHistory>;
};

/** Of all that is kept in mind, in characters. */
const mostKept = 2 * 1024 * 1024;
/** What a session, a turn and a row take beside what is said in them: most of them are short. */
const around = { session: 1500, turn: 1000, row: 300 } as const;

type Known = { readonly history: SessionHistory; readonly mark: ReadMark; readonly size: number };

/** What is kept is never older than its mark says: the store tells whether something else has changed since, whoever did it. */
export function knownHistories(store: Store): KnownHistories {
  const all = new Map<SessionId, Known>();

  /** The one that was used last is the last one in the map. */
  function keep(session: SessionId, known: Known | undefined): void {
    all.delete(session);
    if (known !== undefined) all.set(session, known);
    let size = all.values().reduce((sum, one) => sum + one.size, 0);
    for (const [oldest, one] of all) {
      if (size <= mostKept) return;
      all.delete(oldest);
      size -= one.size;
    }
  }

  async function goneOn(session: SessionId): Promise<SessionHistory | undefined> {
    const known = all.get(session);
    const more = known && (await store.sessions.since(session, known.mark));
    return known && more && withMore(known.history, more);
  }

  return {
    async before(session, turn, events) {
      const history = (await goneOn(session)) ?? (await loadGivenHistory(store, session));
      keep(session, events === undefined ? undefined : knownOf(withoutTurn(history, turn), events));
      return history;
    },
  };
}

/** The rows of an open turn are read again when it has ended. */
const withoutTurn = (history: SessionHistory, open: TurnId): SessionHistory => ({
  ...history,
  messages: history.messages.filter(({ turn }) => turn !== open),
});

function knownOf(history: SessionHistory, events: number): Known | undefined {
  const { lastEnded, messages, turns } = history;
  if (lastEnded === undefined) return undefined;
  const said = messages.reduce((sum, { message }) => sum + messageSize(message) + around.row, 0);
  const size = said + around.session + turns.length * around.turn;
  return { history, mark: { turn: lastEnded.id, events }, size };
}
