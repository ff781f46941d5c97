import type { SessionId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import { onlyRow, prepared } from "../prepared.ts";
import type { SnapshotTable } from "../schema/learning-tables.ts";

export const snapshotTable = ({ read, write }: Access): SnapshotTable => ({
  get: (session) => read(async (db) => (await textOf(db, { session })).rows[0]?.text),

  keep: (session, text) =>
    write(async (tx) => {
      await insertSnapshot(tx, { session, text });
      return onlyRow((await textOf(tx, { session })).rows).text;
    }),

  forget: (matches) =>
    write(async (tx) => {
      const rows = await tx.selectFrom("snapshot").selectAll().execute();
      const meant = rows.filter(({ text }) => matches(text)).map(({ session }) => session);
      for (const session of meant) await tx.deleteFrom("snapshot").where("session", "=", session).execute();
      return meant;
    }),
});

type Snapshot = { readonly session: SessionId; readonly text: string };

const textOf = prepared((db, { session }: Pick<Snapshot, "session">) =>
  db.selectFrom("snapshot").select("text").where("session", "=", session),
);

/** The first one stays. */
const insertSnapshot = prepared((db, { session, text }: Snapshot) =>
  db
    .insertInto("snapshot")
    .values({ session, text })
    .onConflict((conflict) => conflict.doNothing()),
);
