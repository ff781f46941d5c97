import { type Fields, fieldsOf, idIn } from "./fields.ts";

/** What a notification is about, as far as it says so. */
export type Scope = {
  readonly threadId: string | undefined;
  readonly turnId: string | undefined;
  readonly itemId: string | undefined;
};

/** The ids stand in the params themselves, or in the thread, turn or item that they carry. */
export function scopeOf(params: unknown): Scope {
  const fields = fieldsOf(params);
  return {
    threadId: idIn(fields, "threadId") ?? innerId(fields, "thread"),
    turnId: idIn(fields, "turnId") ?? innerId(fields, "turn"),
    itemId: idIn(fields, "itemId") ?? innerId(fields, "item"),
  };
}

/** The thread id of a `thread/start`, `thread/resume` or `thread/fork` reply; `missing` names what came instead. */
export function threadIdOf(result: unknown): { readonly id: string } | { readonly missing: string } {
  const fields = fieldsOf(result);
  const thread = fieldsOf(fields["thread"]);
  const id =
    idIn(thread, "id") ?? idIn(thread, "sessionId") ?? idIn(fields, "sessionId") ?? idIn(fields, "threadId");
  return id === undefined ? { missing: keysOf(fields) } : { id };
}

/** The turn id of a `turn/start` or `turn/steer` reply. */
export function turnIdOf(result: unknown): string | undefined {
  const fields = fieldsOf(result);
  return innerId(fields, "turn") ?? idIn(fields, "turnId");
}

const innerId = (fields: Fields, key: string): string | undefined => idIn(fieldsOf(fields[key]), "id");

const keysOf = (fields: Fields): string => Object.keys(fields).slice(0, 12).join(", ") || "no fields";
