import { asId } from "../../../core/ids.ts";
import { plainWords } from "../fault-words.ts";
import { type Fields, fieldsOf, listOf, textIn } from "../wire/fields.ts";
import { note } from "./note-mapping.ts";
import { type Step, type TurnState, silent } from "./turn-state.ts";

/** A call that a hook stopped comes as no item, and one that could not be looked at goes on: both are said. */
export function hookCompleted(state: TurnState, params: Fields): Step {
  const run = fieldsOf(params["run"]);
  const happened = textIn(run, "status");
  if (happened !== "blocked" && happened !== "failed") return [state, silent];
  const entries = listOf(run["entries"]).flatMap((entry) => textIn(fieldsOf(entry), "text") ?? []);
  const reason = plainWords(entries.join("\n"), state.redact) || "no reason given";
  const text = happened === "blocked" ? `Not done: ${reason}` : `A hook of codex failed: ${reason}`;
  const nameless = state.nameless + 1;
  const item = note(asId<"itm">(`hook#${nameless}`), text);
  return [{ ...state, nameless }, [{ type: "item", item }]];
}
