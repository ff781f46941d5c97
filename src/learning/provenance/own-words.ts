import type { SessionId } from "../../core/ids.ts";
import type { InputPart } from "../../core/messages.ts";
import { typedInput } from "../../core/skill-input.ts";
import type { InputKey } from "../../core/session.ts";
import type { Store } from "../../store/store.ts";
import type { ProvenanceOf } from "../index.ts";
import { withoutPastedText } from "./pasted-text.ts";
import { provenance } from "./provenance.ts";

/** What the person typed in a session, oldest first. */
export type OwnWords = (session: SessionId) => Promise<readonly string[]>;

type Sources = Pick<Store, "inbox" | "sessions">;

/**
 * Only what came in through the owner's own surfaces: messages of chats, of other programs, and all that tools returned
 * is left out; so are turns that were taken back, and sessions that another one began.
 */
export const ownWords =
  ({ inbox, sessions }: Sources, ownSurfaces: ReadonlySet<string>): OwnWords =>
  async (session) => {
    const [known, turns, started, steered] = await Promise.all([
      sessions.get(session),
      sessions.turns(session),
      inbox.inState("started", session),
      inbox.inState("steered", session),
    ]);
    if (known === undefined || known.parent !== undefined) return [];
    const undone = new Set(turns.flatMap((turn) => (turn.undone === true ? [turn.id] : [])));
    return [...started, ...steered]
      .filter(({ key, turn }) => isTyped(key, ownSurfaces) && (turn === undefined || !undone.has(turn)))
      .toSorted((a, b) => a.receivedAt - b.receivedAt)
      .map(({ input }) => typedWords(input))
      .filter((words) => words !== "");
  };

/** What was piped in has an account, as messages of others have: nobody knows who wrote it. */
const isTyped = ({ surface, account }: InputKey, ownSurfaces: ReadonlySet<string>): boolean =>
  ownSurfaces.has(surface) && account === "";

export const provenanceOf = (store: Sources, ownSurfaces: ReadonlySet<string>): ProvenanceOf => {
  const words = ownWords(store, ownSurfaces);
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
