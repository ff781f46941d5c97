import type { SessionId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import { typedInput } from "../../core/skill-input.ts";
import type { StoredInput } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";
import type { ProvenanceOf } from "../index.ts";
import { withoutPastedText } from "./pasted-text.ts";
import { provenance } from "./provenance.ts";

/** What the owner typed in a session, oldest first. */
export type OwnWords = (session: SessionId) => Promise<readonly string[]>;

type Sources = Pick<Store, "inbox" | "sessions">;

/**
 * Only what the owner typed at this machine: messages of others, of chats, of programs, and all that tools returned is
 * left out; so are turns that were taken back, sessions that another one began, and those that others read and write in.
 */
export const ownWords =
  ({ inbox, sessions }: Sources): OwnWords =>
  async (session) => {
    const [known, turns, started, steered] = await Promise.all([
      sessions.get(session),
      sessions.turns(session),
      inbox.inState("started", session),
      inbox.inState("steered", session),
    ]);
    if (known?.audience !== "owner" || known.parent !== undefined) return [];
    const undone = new Set(turns.flatMap((turn) => (turn.undone === true ? [turn.id] : [])));
    return [...started, ...steered]
      .filter((row) => isTyped(row) && (row.turn === undefined || !undone.has(row.turn)))
      .toSorted((a, b) => a.receivedAt - b.receivedAt)
      .map(({ input }) => typedWords(input))
      .filter((words) => words !== "");
  };

/**
 * What was piped in has an account: nobody knows who wrote it. What came in elsewhere than its sender is was made of
 * something (a task that was handed on, a copy, what a runtime did by itself).
 */
const isTyped = ({ key, from }: StoredInput): boolean =>
  from.role === "owner" && from.local && key.surface === from.surface && key.account === "";

export const provenanceOf = (store: Sources): ProvenanceOf => {
  const words = ownWords(store);
  return async (session, text) => provenance(text, await words(session));
};

/**
 * What a person types is the last text of an input: results of commands that they ran stand before it, and skills that
 * they called. Files that an editor sent along stand between fences.
 */
function typedWords(input: readonly InputPart[]): string {
  const typed = input.findLast((part) => part.type === "text");
  return typed?.type === "text" ? withoutPastedText(typedInput(typed.text)) : "";
}
