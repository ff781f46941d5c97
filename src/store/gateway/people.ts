import type { Kysely, Selectable, Transaction } from "kysely";
import type { Platform } from "../../core/gateway/chat.ts";
import type { PeopleTable, StoredPerson } from "../../core/gateway/tables.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { PersonRow } from "../schema/gateway-rows.ts";
import { askPairing, confirmPairing, isPairingWaiting, pairingsAt } from "./pairings.ts";

export const peopleTable = ({ read, write }: Access): PeopleTable => ({
  list: () =>
    read(async (db) => {
      const rows = db.selectFrom("person").selectAll().orderBy("allowed_at").orderBy("surface").orderBy("id");
      return (await rows.execute()).map(personOf);
    }),

  get: (surface, id) =>
    read(async (db) => {
      const row = await known(db, surface, id);
      return row && personOf(row);
    }),

  allow: (person, at) => write((tx) => allowPerson(tx, person, at)),

  revoke: (surface, id, at) =>
    write(async (tx) => {
      const row = await tx
        .updateTable("person")
        .set({ revoked_at: at })
        .where("surface", "=", surface)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && personOf(row);
    }),

  async heardIn(surface, id, name, { account, chat }) {
    // Mostly it is where they were heard before: looking first spares everybody the write lock.
    const before = await read((db) => known(db, surface, id));
    if (before === undefined || before.revoked_at !== null) return;
    if (before.name === name && before.direct_account === account && before.direct_chat === chat) return;
    await write(async (tx) => {
      await tx
        .updateTable("person")
        .set({ name, direct_account: account, direct_chat: chat })
        .where("surface", "=", surface)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
    });
  },

  ask: (pairing, codeHash) => write((tx) => askPairing(tx, pairing, codeHash)),

  pairings: (at) => read((db) => pairingsAt(db, at)),

  isWaiting: (codeHash, at) => read((db) => isPairingWaiting(db, codeHash, at)),

  confirm: (codeHash, role, at) =>
    write(async (tx) => {
      const pairing = await confirmPairing(tx, codeHash, at);
      if (typeof pairing === "string") return pairing;
      const { surface, id, name, account, chat } = pairing;
      return allowPerson(tx, { surface, id, role, ...present({ name }) }, at, { account, chat });
    }),
});

const known = (db: Kysely<Database>, surface: Platform, id: string) =>
  db.selectFrom("person").selectAll().where("surface", "=", surface).where("id", "=", id).executeTakeFirst();

/** Also whoever was revoked, and who had another role. What is not said stays as it was known. */
async function allowPerson(
  tx: Transaction<Database>,
  { surface, id, name, role }: Parameters<PeopleTable["allow"]>[0],
  at: number,
  direct?: { readonly account: string; readonly chat: string },
): Promise<StoredPerson> {
  const given = {
    role,
    allowed_at: at,
    revoked_at: null,
    ...(name === undefined ? {} : { name }),
    ...(direct === undefined ? {} : { direct_account: direct.account, direct_chat: direct.chat }),
  };
  const row = await tx
    .insertInto("person")
    .values({ surface, id, name: null, direct_account: null, direct_chat: null, ...given })
    .onConflict((conflict) => conflict.columns(["surface", "id"]).doUpdateSet(given))
    .returningAll()
    .executeTakeFirstOrThrow();
  return personOf(row);
}

const personOf = (row: Selectable<PersonRow>): StoredPerson => ({
  surface: row.surface,
  id: row.id,
  role: row.role,
  allowedAt: row.allowed_at,
  ...present({ name: row.name, revokedAt: row.revoked_at }),
  ...(row.direct_account === null || row.direct_chat === null
    ? {}
    : { direct: { surface: row.surface, account: row.direct_account, chat: row.direct_chat } }),
});
