import { type Kysely, type Selectable, sql } from "kysely";
import type { ChatPlace, ChatTable, StoredChat } from "../../core/gateway/tables.ts";
import type { TurnChoices } from "../../core/host.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { ChatPlaceRow } from "../schema/gateway-rows.ts";

export const chatTable = ({ read, write }: Access): ChatTable => ({
  get: (place) =>
    read(async (db) => {
      const row = await all(db)
        .where((is) => is.and(keyOf(place)))
        .executeTakeFirst();
      return row && chatOf(row);
    }),

  change: ({ room, roomName, ...place }, { session, choices, title, status }, at) =>
    write(async (tx) => {
      const changed = {
        room,
        updated_at: at,
        ...(roomName === undefined ? {} : { room_name: roomName }),
        ...(session === undefined ? {} : { session }),
        ...(choices === undefined ? {} : { choices: JSON.stringify(choices) }),
        ...(title === undefined ? {} : { title }),
        ...(status === undefined ? {} : { status }),
      };
      const row = await tx
        .insertInto("chat_place")
        .values({
          ...keyOf(place),
          session: null,
          choices: "{}",
          title: null,
          room_name: null,
          status: null,
          ...changed,
        })
        .onConflict((conflict) =>
          conflict.columns(["surface", "account", "chat", "person"]).doUpdateSet(changed),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return chatOf(row);
    }),

  ofSession: (session) => listed(read, (db) => all(db).where("session", "=", session)),

  withStatus: (surface, account) =>
    listed(read, (db) =>
      all(db).where("surface", "=", surface).where("account", "=", account).where("status", "is not", null),
    ),

  list: (limit) => listed(read, (db) => all(db).limit(limit)),
});

const all = (db: Kysely<Database>) => db.selectFrom("chat_place").selectAll();

/** Newest first. */
const listed = (
  read: Access["read"],
  wanted: (db: Kysely<Database>) => ReturnType<typeof all>,
): Promise<readonly StoredChat[]> =>
  read(async (db) => {
    const rows = wanted(db)
      .orderBy("updated_at", "desc")
      .orderBy(sql`surface, account, chat, person`);
    return (await rows.execute()).map(chatOf);
  });

const keyOf = ({ surface, account, chat, person }: ChatPlace) => ({ surface, account, chat, person });

const chatOf = (row: Selectable<ChatPlaceRow>): StoredChat => ({
  ...keyOf(row),
  choices: JSON.parse(row.choices) as TurnChoices,
  room: row.room,
  updatedAt: row.updated_at,
  ...present({ session: row.session, title: row.title, roomName: row.room_name, status: row.status }),
});
