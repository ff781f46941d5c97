import type { Kysely, Selectable } from "kysely";
import type { AccessTable, OwnName, StoredDevice, StoredKey } from "../core/access.ts";
import type { Scope } from "../core/principal.ts";
import type { Limit } from "../core/spend.ts";
import type { Access } from "./access.ts";
import { spentByKey } from "./key-spend.ts";
import type { AccessKeyRow, DeviceRow } from "./schema/access-rows.ts";
import type { Database } from "./schema/database.ts";

export const accessTable = (access: Access): AccessTable => ({
  ...keys(access),
  ...devices(access),
  ...names(access),

  used: (id, at) =>
    access.write(async (tx) => {
      await tx.updateTable("access_key").set({ used_at: at }).where("id", "=", id).execute();
      await tx.updateTable("device").set({ used_at: at }).where("id", "=", id).execute();
    }),
});

type Keys = Pick<AccessTable, "addKey" | "keys" | "key" | "revokeKey" | "spentBy">;

const keys = ({ read, write }: Access): Keys => ({
  addKey: ({ id, name, scopes, budget, createdAt }, hash) =>
    write(async (tx) => {
      const same = tx.selectFrom("access_key").select("id").where("name", "=", name);
      if ((await same.where("revoked_at", "is", null).executeTakeFirst()) !== undefined) return false;
      await tx
        .insertInto("access_key")
        .values({
          id,
          name,
          hash,
          scopes: JSON.stringify(scopes),
          budget: budget === undefined ? null : JSON.stringify(budget),
          created_at: createdAt,
        })
        .execute();
      return true;
    }),

  keys: () =>
    read(async (db) =>
      (await db.selectFrom("access_key").selectAll().orderBy("created_at").execute()).map(keyOf),
    ),

  key: (id) =>
    read(async (db) => {
      const row = await db.selectFrom("access_key").selectAll().where("id", "=", id).executeTakeFirst();
      return row && { ...keyOf(row), hash: row.hash };
    }),

  revokeKey: (idOrName, at) =>
    write(async (tx) => {
      const row = await tx
        .selectFrom("access_key")
        .selectAll()
        .where((is) => is.or([is("id", "=", idOrName), is("name", "=", idOrName)]))
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await tx.updateTable("access_key").set({ revoked_at: at }).where("id", "=", row.id).execute();
      return keyOf({ ...row, revoked_at: at });
    }),

  spentBy: (key, since) => read((db) => spentByKey(db, key, since)),
});

type Devices = Pick<AccessTable, "addDevice" | "letIn" | "devices" | "device" | "revokeDevice">;

const devices = ({ read, write }: Access): Devices => ({
  addDevice: ({ id, name, scopes, createdAt }, { hash, until }) =>
    write(async (tx) => {
      await tx
        .insertInto("device")
        .values({
          id,
          name,
          scopes: JSON.stringify(scopes),
          code: hash,
          code_until: until,
          created_at: createdAt,
        })
        .execute();
    }),

  letIn: (code, { cookie, token }, at) =>
    write(async (tx) => {
      const row = await tx
        .updateTable("device")
        .set({ code: null, code_until: null, cookie, token, let_in_at: at, used_at: at })
        .where("code", "=", code)
        .where("code_until", ">", at)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && deviceOf(row);
    }),

  devices: () =>
    read(async (db) =>
      (await db.selectFrom("device").selectAll().orderBy("created_at").execute()).map(deviceOf),
    ),

  device: (id) =>
    read(async (db) => {
      const row = await db.selectFrom("device").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined || row.cookie === null || row.token === null) return undefined;
      return { ...deviceOf(row), cookie: row.cookie, token: row.token };
    }),

  revokeDevice: (id, at) =>
    write(async (tx) => {
      const row = await tx
        .updateTable("device")
        .set({ revoked_at: at })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && deviceOf(row);
    }),
});

const names = ({ read, write }: Access): Pick<AccessTable, "named" | "claim" | "rename"> => ({
  named: (own) => read(async (db) => (await valueOf(db, own).executeTakeFirst())?.value),

  claim: (own, value) =>
    write(async (tx) => {
      await tx
        .insertInto("own_name")
        .values({ ...own, value })
        .onConflict((conflict) => conflict.columns(["account", "kind", "name"]).doNothing())
        .execute();
      return (await valueOf(tx, own).executeTakeFirstOrThrow()).value;
    }),

  rename: (own, value) =>
    write(async (tx) => {
      await tx
        .insertInto("own_name")
        .values({ ...own, value })
        .onConflict((conflict) => conflict.columns(["account", "kind", "name"]).doUpdateSet({ value }))
        .execute();
    }),
});

const valueOf = (db: Kysely<Database>, { account, kind, name }: OwnName) =>
  db
    .selectFrom("own_name")
    .select("value")
    .where("account", "=", account)
    .where("kind", "=", kind)
    .where("name", "=", name);

const keyOf = (row: Selectable<AccessKeyRow>): StoredKey => ({
  id: row.id,
  name: row.name,
  scopes: JSON.parse(row.scopes) as readonly Scope[],
  createdAt: row.created_at,
  ...(row.budget === null ? {} : { budget: JSON.parse(row.budget) as Limit }),
  ...(row.used_at === null ? {} : { lastUsedAt: row.used_at }),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
});

const deviceOf = (row: Selectable<DeviceRow>): StoredDevice => ({
  id: row.id,
  name: row.name,
  scopes: JSON.parse(row.scopes) as readonly Scope[],
  createdAt: row.created_at,
  ...(row.let_in_at === null ? {} : { letInAt: row.let_in_at }),
  ...(row.used_at === null ? {} : { lastUsedAt: row.used_at }),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
});
