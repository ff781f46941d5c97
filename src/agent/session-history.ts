import type { StoredCompaction } from "../core/compaction.ts";
import type { SessionId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../core/session.ts";
import type { Store } from "../store/store.ts";
import type { Past } from "../runtimes/runtime.ts";
import { compactedHistory, wholeHistory } from "../transcript/compaction.ts";
import { type NumberedTurn, numberedTurns, undoneTurns } from "../transcript/numbered-turn.ts";

/** A session as it is kept, without the turns that were taken back, and how models are given it. */
export type SessionHistory = {
  /** Without the one that is open. */
  readonly turns: readonly (NumberedTurn & { readonly turn: StoredTurn })[];
  /** Their rows, and those of an open turn. */
  readonly messages: readonly StoredMessage[];
  /** The last row (`seq`) of the session, whatever turn it belongs to. */
  readonly newest: number;
  /** Its newest turn that has ended, taken back or not. */
  readonly lastEnded?: StoredTurn;
  readonly compactions: readonly StoredCompaction[];
  readonly view: readonly Message[];
};

/** All of it. */
export async function loadSessionHistory(store: Store, session: SessionId): Promise<SessionHistory> {
  const [turns, messages, compactions] = await Promise.all([
    store.sessions.turns(session),
    store.sessions.messages(session),
    store.compactions.list(session),
  ]);
  return historyOf(turns, messages, compactions);
}

/** As far as it matters to models: of what a summary stands for, only the first turn. Its view is the same. */
export async function loadGivenHistory(store: Store, session: SessionId): Promise<SessionHistory> {
  const { turns, messages, compactions } = await store.sessions.given(session);
  return historyOf(turns, messages, compactions);
}

function historyOf(
  all: readonly StoredTurn[],
  rows: readonly StoredMessage[],
  compactions: readonly StoredCompaction[],
): SessionHistory {
  const undone = undoneTurns(all);
  const messages = undone.size === 0 ? rows : rows.filter(({ turn }) => !undone.has(turn));
  const ended = all.filter(isEnded);
  const lastEnded = ended.at(-1);
  const turns = numberedTurns(
    ended.filter(({ id }) => !undone.has(id)),
    messages,
  );
  return {
    turns,
    messages,
    newest: rows.at(-1)?.seq ?? 0,
    ...(lastEnded === undefined ? {} : { lastEnded }),
    compactions,
    view: compactedHistory(turns, compactions),
  };
}

/** The same history as it went on. */
export function withMore(
  known: SessionHistory,
  more: { readonly turns: readonly StoredTurn[]; readonly messages: readonly StoredMessage[] },
): SessionHistory {
  const ended = more.turns.filter(isEnded);
  const lastEnded = ended.at(-1) ?? known.lastEnded;
  const turns = [...known.turns, ...numberedTurns(ended, more.messages)];
  return {
    turns,
    messages: [...known.messages, ...more.messages],
    newest: more.messages.at(-1)?.seq ?? known.newest,
    ...(lastEnded === undefined ? {} : { lastEnded }),
    compactions: known.compactions,
    view: compactedHistory(turns, known.compactions),
  };
}

/** As a runtime is given it. */
export function pastOf({ turns, compactions, view }: SessionHistory): Past {
  const parts = wholeHistory(turns);
  let from = 0;
  const places = turns.map(({ turn: { side } }, at) => {
    const place = { from, ...(side === undefined ? {} : { side }) };
    from += parts[at]?.length ?? 0;
    return place;
  });
  return { history: parts.flat(), turns: places, ...(compactions.length === 0 ? {} : { view }) };
}

const isEnded = ({ state }: StoredTurn): boolean => state !== "open";
