import type { Outcome } from "../../../core/events.ts";
import type { ItemId } from "../../../core/ids.ts";
import type { NoteItem } from "../../../core/items.ts";
import { note } from "../items/note-mapping.ts";

/** turn, helper: codex began a turn by itself, on our thread or on one of its own */
export type WorkKind = "turn" | "helper" | "late" | "asked" | "gone";

/** What happened, for the person: the input of the turn in which it is kept. */
export function workText(kind: WorkKind, outcome: Outcome): string {
  const end = outcome === "done" ? "It had ended before it could be stopped." : "It was stopped.";
  const texts: Readonly<Record<WorkKind, string>> = {
    turn: `Codex started a turn of its own, which nobody asked for. ${end}`,
    helper: `Codex started a helper of its own, which nobody asked for. ${end}`,
    late: "Something that an earlier turn left running has reported back.",
    asked: "Something that an earlier turn left running wanted to be allowed something. It was refused.",
    gone: "Codex has ended what was still running.",
  };
  return texts[kind];
}

export const goneNote = (commands: readonly string[]): NoteItem =>
  note(
    "codex-gone" as ItemId,
    `Ended by codex, or with it: ${commands.map((text) => `\`${text}\``).join(", ")}`,
  );
