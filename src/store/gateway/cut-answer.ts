import { type Insertable, type Selectable, type Transaction, sql } from "kysely";
import { newId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Database } from "../schema/database.ts";
import type { OutboxRow } from "../schema/gateway-rows.ts";
import { bodyColumns } from "./stored-outbox.ts";

/**
 * The answer's own row becomes its first part, so that whoever knows it goes on knowing it, and only the first to cut it can. One of which
 * nothing is left to be sent is dead.
 */
export async function cutAnswer(
  tx: Transaction<Database>,
  id: string,
  [first, ...others]: readonly Json[],
): Promise<readonly Selectable<OutboxRow>[] | undefined> {
  const cut = await tx
    .updateTable("outbox")
    .set((is) =>
      first === undefined
        ? { state: "dead", settled_at: is.ref("at"), why: "There was nothing in it to be sent." }
        : bodyColumns({ kind: "part", part: first }),
    )
    .where("id", "=", id)
    .where("state", "=", "pending")
    .where(sql<string>`json_extract(body, '$.kind')`, "=", "answer")
    .returningAll()
    .executeTakeFirst();
  if (cut === undefined) return undefined;
  if (first === undefined) return [];
  if (others.length === 0) return [cut];
  const rows = others.map((part, at) => partRow(cut, part, at + 1));
  const added = await tx.insertInto("outbox").values(rows).returningAll().execute();
  return [cut, ...added.toSorted((one, other) => one.part - other.part)];
}

/** It answers no message itself: the first one does. */
const partRow = (answer: Selectable<OutboxRow>, part: Json, number: number): Insertable<OutboxRow> => ({
  id: newId("obx", answer.at),
  turn_id: answer.turn_id,
  surface: answer.surface,
  account: answer.account,
  chat: answer.chat,
  reply_to: null,
  about: answer.about,
  rank: answer.rank ?? answer.seq,
  part: answer.part + number,
  ...bodyColumns({ kind: "part", part }),
  state: "pending",
  until: answer.until,
  at: answer.at,
  is_open: 0,
});
