import type { StoredCompaction } from "../core/compaction.ts";
import type { SessionId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { StoredMessage, StoredTurn } from "../core/session.ts";
import type { Store } from "../store/store.ts";
import { compactedHistory } from "../transcript/compaction.ts";
import { type NumberedTurn, numberedTurns } from "../transcript/numbered-turn.ts";

/** A session as it is kept, and how models are given it. */
export type Conversation = {
  /** Without the one that is open. */
  readonly turns: readonly (NumberedTurn & { readonly turn: StoredTurn })[];
  /** All rows, those of an open turn included. */
  readonly messages: readonly StoredMessage[];
  readonly compactions: readonly StoredCompaction[];
  readonly view: readonly Message[];
};

export async function loadConversation(store: Store, session: SessionId): Promise<Conversation> {
  const [all, messages, compactions] = await Promise.all([
    store.sessions.turns(session),
    store.sessions.messages(session),
    store.compactions.list(session),
  ]);
  const turns = numberedTurns(
    all.filter(({ state }) => state !== "open"),
    messages,
  );
  return { turns, messages, compactions, view: compactedHistory(turns, compactions) };
}
