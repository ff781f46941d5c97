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
  readonly compactions: readonly StoredCompaction[];
  readonly view: readonly Message[];
};

export async function loadSessionHistory(store: Store, session: SessionId): Promise<SessionHistory> {
  const [all, rows, compactions] = await Promise.all([
    store.sessions.turns(session),
    store.sessions.messages(session),
    store.compactions.list(session),
  ]);
  const undone = undoneTurns(all);
  const messages = undone.size === 0 ? rows : rows.filter(({ turn }) => !undone.has(turn));
  const turns = numberedTurns(
    all.filter(({ id, state }) => state !== "open" && !undone.has(id)),
    messages,
  );
  const view = compactedHistory(turns, compactions);
  return { turns, messages, newest: rows.at(-1)?.seq ?? 0, compactions, view };
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
