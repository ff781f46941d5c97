import type { Access } from "../access.ts";
import type { SnapshotTable } from "../schema/learning-tables.ts";

export const snapshotTable = ({ read, write }: Access): SnapshotTable => ({
  get: (session) =>
    read(async (db) => {
      const row = await db
        .selectFrom("snapshot")
        .select("text")
        .where("session", "=", session)
        .executeTakeFirst();
      return row?.text;
    }),

  keep: (session, text) =>
    write(async (tx) => {
      await tx
        .insertInto("snapshot")
        .values({ session, text })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await tx
        .selectFrom("snapshot")
        .select("text")
        .where("session", "=", session)
        .executeTakeFirstOrThrow();
      return row.text;
    }),

  forget: (matches) =>
    write(async (tx) => {
      const rows = await tx.selectFrom("snapshot").selectAll().execute();
      const meant = rows.filter(({ text }) => matches(text)).map(({ session }) => session);
      for (const session of meant) await tx.deleteFrom("snapshot").where("session", "=", session).execute();
      return meant;
    }),
});
