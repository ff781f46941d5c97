import type { Transaction } from "kysely";
import { type InboxId, type TurnId, asId } from "../core/ids.ts";
import { type InputPart, userMessage } from "../core/messages.ts";
import type { Database } from "./database.ts";
import { touchSession } from "./sessions.ts";
import type { Lease } from "./store.ts";
import { messageRow } from "./stored-message.ts";

/** The row has the name of its input, so there can be one only. */
export async function keepSteered(
  tx: Transaction<Database>,
  { session }: Lease,
  turn: TurnId,
  inbox: InboxId,
  at: number,
): Promise<boolean> {
  const input = await tx
    .updateTable("inbox")
    .set({ state: "steered" })
    .where("id", "=", inbox)
    .where("session", "=", session)
    .where("turn_id", "=", turn)
    .where("state", "=", "unconfirmed")
    .returning("body")
    .executeTakeFirst();
  if (input === undefined) return false;
  const message = userMessage(JSON.parse(input.body) as InputPart[]);
  const place = { session, turn, item: asId<"itm">(inbox), at };
  await tx.insertInto("message").values(messageRow(place, message)).execute();
  return touchSession(tx, session, at);
}
