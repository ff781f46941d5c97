import { type SessionId, asId } from "../../core/ids.ts";
import type { StoredMessage } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";

/**
 * Results of calls that belong to no turn, and so to no transcript: those of other programs. Kept while they are
 * connected, so that an address which a search has found is known there, too.
 */
export type HeardResults = {
  note(session: SessionId, tool: string, output: string): void;
  /** The store, with those results among the messages of their sessions. */
  over(store: Store): Store;
};

const most = 100;

export function heardResults(): HeardResults {
  const heard = new Map<SessionId, StoredMessage[]>();
  return {
    note(session, tool, output) {
      const rows = heard.get(session) ?? [];
      heard.set(session, [...rows, ...rowsOf(tool, output, rows.length)].slice(-most));
    },
    over: (store) => ({
      ...store,
      sessions: {
        ...store.sessions,
        messages: async (id, window) => [
          ...(await store.sessions.messages(id, window)),
          ...(heard.get(id) ?? []),
        ],
      },
    }),
  };
}

function rowsOf(tool: string, output: string, at: number): readonly StoredMessage[] {
  const id = `heard_${at}`;
  const place = { seq: 0, turn: asId<"trn">("trn_heard"), item: asId<"itm">(id), at: 0 };
  return [
    {
      ...place,
      message: { role: "assistant", content: "", toolCalls: [{ id, name: tool, arguments: "{}" }] },
    },
    { ...place, message: { role: "tool", toolCallId: id, content: output } },
  ];
}
