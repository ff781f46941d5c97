import type { Access } from "./access.ts";
import type { MetaTable } from "./store.ts";

export const metaTable = ({ read, write }: Access): MetaTable => ({
  get: (key) =>
    read(async (db) => {
      const row = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
      return row?.value;
    }),

  set: (key, value) =>
    write(async (tx) => {
      await tx
        .insertInto("meta")
        .values({ key, value })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
        .execute();
    }),
});
