import { type Kysely, type Selectable, type Transaction, sql } from "kysely";
import { type ChatMessage, chatName } from "../../core/gateway/chat.ts";
import type { ReceivedMessage, ReceivedTable } from "../../core/gateway/tables.ts";
import { newId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { ReceivedRow } from "../schema/gateway-rows.ts";
import { isNamed } from "./named.ts";

export const receivedTable = (access: Access): ReceivedTable => ({ ...writers(access), ...readers(access) });

type Writers = "add" | "seal" | "done" | "forgetBodies";

const writers = ({ write }: Access): Pick<ReceivedTable, Writers> => ({
  add: (message, at) => write((tx) => addMessage(tx, message, at)),

  seal: (ids) =>
    write(async (tx) => {
      if (ids.length === 0) return [];
      const rows = await all(tx).where("id", "in", ids).where("state", "=", "received").execute();
      const sealed = rows.toSorted(byOrder);
      const [first] = sealed;
      if (first === undefined) return [];
      await tx
        .updateTable("received")
        .set({ state: "sealed", sealed_as: first.message_id })
        .where(
          "id",
          "in",
          sealed.map(({ id }) => id),
        )
        .execute();
      return sealed.map((row) => receivedOf({ ...row, state: "sealed", sealed_as: first.message_id }));
    }),

  done: (ids, fate, { inbox = null, note = null } = {}) =>
    write(async (tx) => {
      if (ids.length === 0) return false;
      const changed = await tx
        .updateTable("received")
        .set({ state: "done", fate, inbox, note })
        .where("id", "in", ids)
        .where("state", "!=", "done")
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    }),

  forgetBodies: (before) =>
    write(async (tx) => {
      const forgotten = await tx
        .updateTable("received")
        .set({ body: null })
        .where("body", "is not", null)
        .where("received_at", "<", before)
        .where("state", "=", "done")
        .executeTakeFirst();
      return Number(forgotten.numUpdatedRows);
    }),
});

async function addMessage(
  tx: Transaction<Database>,
  message: ChatMessage,
  at: number,
): Promise<{ readonly row: ReceivedMessage; readonly fresh: boolean }> {
  const { text, files, quoted, ...head } = message;
  const { surface, account } = message.address;
  const place = { surface, account, chat: chatName(message.address) };
  const named = { ...place, message_id: message.messageId };
  const added = await tx
    .insertInto("received")
    .values({
      id: newId("rcv", at),
      ...named,
      position: message.order,
      head: JSON.stringify(head),
      body: JSON.stringify({ text, files, ...(quoted === undefined ? {} : { quoted }) }),
      received_at: at,
      state: "received",
    })
    .onConflict((conflict) => conflict.columns(["surface", "account", "chat", "message_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (added === undefined) {
    const there = await all(tx)
      .where((is) => is.and(named))
      .executeTakeFirstOrThrow();
    return { row: receivedOf(there), fresh: false };
  }
  await noteSeen(tx, added);
  return { row: receivedOf(added), fresh: true };
}

/** The last one is that which stands last in its chat: they may come in any order. */
async function noteSeen(tx: Transaction<Database>, row: Selectable<ReceivedRow>): Promise<void> {
  const last = { message_id: row.message_id, position: row.position };
  await tx
    .insertInto("seen_message")
    .values({ surface: row.surface, account: row.account, chat: row.chat, ...last })
    .onConflict((conflict) =>
      conflict
        .columns(["surface", "account", "chat"])
        .doUpdateSet(last)
        .where("seen_message.position", "<=", row.position),
    )
    .execute();
}

type Readers = Exclude<keyof ReceivedTable, Writers>;

const readers = ({ read }: Access): Pick<ReceivedTable, Readers> => ({
  get: (id) =>
    read(async (db) => {
      const row = await all(db).where("id", "=", id).executeTakeFirst();
      return row && receivedOf(row);
    }),

  find: (idOrMessage) =>
    read(async (db) => {
      const rows = await all(db)
        .where(isNamed(idOrMessage, "message_id"))
        .orderBy("seq", "desc")
        .limit(10)
        .execute();
      return rows.map(receivedOf);
    }),

  open: (surface, account) =>
    read(async (db) => {
      const rows = await all(db)
        .where("surface", "=", surface)
        .where("account", "=", account)
        // As the index of open ones says it, with a literal: otherwise all that ever came is read.
        .where("state", "!=", sql.lit("done" as const))
        .orderBy("seq")
        .execute();
      const chats = Map.groupBy(rows, (row) => row.chat);
      return [...chats.values()].flatMap((ofChat) => ofChat.toSorted(byOrder)).map(receivedOf);
    }),

  seen: (surface, account) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("seen_message")
        .select(["chat", "message_id"])
        .where("surface", "=", surface)
        .where("account", "=", account)
        .execute();
      return new Map(rows.map((row) => [row.chat, row.message_id]));
    }),
});

const all = (db: Kysely<Database>) => db.selectFrom("received").selectAll();

const byOrder = (one: Selectable<ReceivedRow>, other: Selectable<ReceivedRow>): number => {
  if (one.position !== other.position) return one.position < other.position ? -1 : 1;
  return one.seq - other.seq;
};

type Words = Pick<ChatMessage, "text" | "files" | "quoted">;

const forgotten: Words = { text: "", files: [] };

const receivedOf = (row: Selectable<ReceivedRow>): ReceivedMessage => ({
  id: row.id,
  message: {
    ...(JSON.parse(row.head) as Omit<ChatMessage, keyof Words>),
    ...(row.body === null ? forgotten : (JSON.parse(row.body) as Words)),
  },
  receivedAt: row.received_at,
  state: row.state,
  ...present({ group: row.sealed_as, fate: row.fate, inbox: row.inbox, note: row.note }),
});
