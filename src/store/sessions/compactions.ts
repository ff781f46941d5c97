import type { Insertable, Kysely, Selectable } from "kysely";
import type { NewCompaction, StoredCompaction } from "../../core/compaction.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { CompactionTable } from "../schema/compaction-table.ts";
import type { CompactionRow, Database } from "../schema/database.ts";
import { requireLease } from "../leases.ts";
import { present } from "../present.ts";
import { storable, whole } from "../storable.ts";

export const compactionTable = (access: Access): CompactionTable => ({
  add: (lease, compaction) =>
    access.write(async (tx) => {
      await requireLease(tx, lease);
      const row = await tx
        .insertInto("compaction")
        .values(compactionRow(lease.session, compaction))
        .returningAll()
        .executeTakeFirstOrThrow();
      return compactionOf(row);
    }),

  list: (session) => access.read((db) => compactionsOf(db, session)),

  remove: (lease, id) =>
    access.write(async (tx) => {
      await requireLease(tx, lease);
      const removed = await tx
        .deleteFrom("compaction")
        .where("session", "=", lease.session)
        .where("id", "=", id)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    }),

  ...pinTable(access),
});

export async function compactionsOf(
  db: Kysely<Database>,
  session: SessionId,
): Promise<readonly StoredCompaction[]> {
  const all = db.selectFrom("compaction").selectAll().where("session", "=", session).orderBy("id");
  return (await all.execute()).map(compactionOf);
}

const pinTable = ({ read, held }: Access): Pick<CompactionTable, "pin" | "unpin" | "pins"> => ({
  pin: (lease, line) =>
    held(lease, async (tx) => {
      await requireLease(tx, lease);
      await tx
        .insertInto("pin")
        .values({ session: lease.session, line: storable(line) })
        .onConflict((conflict) => conflict.columns(["session", "line"]).doNothing())
        .execute();
    }),

  unpin: (lease, line) =>
    held(lease, async (tx) => {
      await requireLease(tx, lease);
      const removed = await tx
        .deleteFrom("pin")
        .where("session", "=", lease.session)
        .where("line", "=", line)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    }),

  pins: (session) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("pin")
        .select("line")
        .where("session", "=", session)
        .orderBy("id")
        .execute();
      return rows.map(({ line }) => line);
    }),
});

const compactionRow = (
  session: SessionId,
  { upTo, seen, previous, at, model, focus, pinned, summary }: NewCompaction,
): Insertable<CompactionRow> => ({
  session,
  up_to: upTo,
  seen,
  previous: previous ?? null,
  at: whole(at),
  model: model ?? null,
  focus: focus === undefined ? null : storable(focus),
  pinned: JSON.stringify(pinned.map(storable)),
  summary: summary === undefined ? null : storable(summary),
});

const compactionOf = (row: Selectable<CompactionRow>): StoredCompaction => ({
  id: row.id,
  session: row.session,
  upTo: row.up_to,
  seen: row.seen,
  pinned: JSON.parse(row.pinned) as string[],
  at: row.at,
  ...present({ summary: row.summary, focus: row.focus, model: row.model, previous: row.previous }),
});
