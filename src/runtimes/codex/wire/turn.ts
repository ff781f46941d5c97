import { type TurnError, readTurnError } from "./error-info.ts";
import { fieldsOf, idIn, listOf, textIn, textsOf } from "./fields.ts";

/** A turn as codex reports it. `status` is kept as it came: completed, interrupted, failed, inProgress, or news. */
export type WireTurn = {
  readonly id: string | undefined;
  readonly status: string;
  readonly error: TurnError | undefined;
  /** Unread: whoever needs them reads them with `readItem`. Mostly only the final answer. */
  readonly items: readonly unknown[];
};

export function readTurn(value: unknown): WireTurn {
  const fields = fieldsOf(value);
  return {
    id: idIn(fields, "id"),
    status: textIn(fields, "status") ?? "",
    error: readTurnError(fields["error"]),
    items: listOf(fields["items"]),
  };
}

/** `type` is notLoaded, idle, systemError, active, or news; flags only come with `active`. */
export type ThreadStatus = { readonly type: string; readonly flags: readonly string[] };

export function readThreadStatus(value: unknown): ThreadStatus {
  const fields = fieldsOf(value);
  return { type: textIn(fields, "type") ?? "", flags: textsOf(fields["activeFlags"]) };
}
