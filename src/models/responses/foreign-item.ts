import { type Fields, fieldsOf } from "../../core/json.ts";
import { short } from "../../core/plain-text.ts";
import type { ModelItem } from "../model.ts";
import { textOf } from "../wire.ts";

/**
 * An item of which only the provider knows what it means: a tool that it ran itself, or a kind that is newer than this
 * version. It is no part of the conversation, but that it happened is said.
 */
export function foreignItem(item: number, fields: Fields): ModelItem {
  const [type, status] = [textOf(fields["type"]), textOf(fields["status"])];
  const names = [textOf(fields["server_label"]), textOf(fields["name"])].filter((name) => name !== "");
  const error = textOf(fields["error"]) || textOf(fieldsOf(fields["error"])["message"]);
  const facts = [
    ...(names.length === 0 ? [] : [names.join(" · ")]),
    ...(status === "" || status === "completed" ? [] : [status]),
    ...(error === "" ? [] : [error]),
  ].map((fact) => short(fact, 200));
  const more = facts.length === 0 ? "" : `: ${facts.join(", ")}`;
  return {
    kind: "note",
    item,
    text: `The provider added an item of the kind "${short(type, 60)}", which Talaria did not run${more}.`,
  };
}
