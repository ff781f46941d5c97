import type { Json } from "../../../core/json.ts";
import { fieldsOf, textIn } from "../wire/fields.ts";

/** What is kept with a turn of ours: which turn it is for codex, and on which of its threads. */
export type TurnSide = { readonly thread: string; readonly turn: string };

export function readSide(side: Json | undefined): TurnSide | undefined {
  const [thread, turn] = [textIn(fieldsOf(side), "thread"), textIn(fieldsOf(side), "turn")];
  return thread === undefined || turn === undefined ? undefined : { thread, turn };
}
