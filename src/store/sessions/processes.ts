import type { Kysely, Transaction } from "kysely";
import type { Running } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { Database, LeftRunningRow } from "../schema/database.ts";
import type { ProcessTable, LeftRunningTable } from "../schema/process-tables.ts";
import { ownerColumns, ownerOf } from "../owner-columns.ts";

export const processTable = ({ read, write }: Access): ProcessTable => ({
  add: ({ pid, startTime, kind, owner }) =>
    write(async (tx) => {
      const facts = { kind, ...ownerColumns(owner) };
      await tx
        .insertInto("process")
        .values({ pid, start_time: startTime, ...facts })
        .onConflict((conflict) => conflict.columns(["owner_host", "pid", "start_time"]).doUpdateSet(facts))
        .execute();
    }),

  remove: ({ pid, startTime, owner }) =>
    write(async (tx) => {
      await tx
        .deleteFrom("process")
        .where("owner_host", "=", owner.host)
        .where("pid", "=", pid)
        .where("start_time", "=", startTime)
        .execute();
    }),

  list: () =>
    read(async (db) => {
      const rows = await db
        .selectFrom("process")
        .selectAll()
        .orderBy("owner_host")
        .orderBy("pid")
        .orderBy("start_time")
        .execute();
      return rows.map((row) => ({
        pid: row.pid,
        startTime: row.start_time,
        kind: row.kind,
        owner: ownerOf(row),
      }));
    }),
});

export const leftRunningTable = ({ read, write }: Access): LeftRunningTable => ({
  async note(session, owner, running) {
    const key = { session, ...ownerColumns(owner) };
    const isThere = (row: LeftRunningRow): boolean =>
      row.owner_host === owner.host &&
      row.owner_pid === owner.pid &&
      row.owner_start_time === owner.startTime;
    // Mostly there is nothing to write: looking first spares everybody the write lock.
    if (running.length === 0 && !(await read((db) => rowsOf(db, session))).some(isThere)) return;
    await write(async (tx) => {
      await remove(tx, key);
      const list = JSON.stringify(running);
      if (running.length > 0)
        await tx
          .insertInto("left_running")
          .values({ ...key, list })
          .execute();
    });
  },

  async takeLeft(session, isGone) {
    const left = (rows: readonly LeftRunningRow[]): readonly LeftRunningRow[] =>
      rows.filter((row) => isGone(ownerOf(row)));
    if (left(await read((db) => rowsOf(db, session))).length === 0) return [];
    return write(async (tx) => {
      const rows = left(await rowsOf(tx, session));
      for (const row of rows) await remove(tx, row);
      return rows.flatMap(({ list }) => JSON.parse(list) as readonly Running[]);
    });
  },
});

const rowsOf = (db: Kysely<Database>, session: SessionId): Promise<LeftRunningRow[]> =>
  db.selectFrom("left_running").selectAll().where("session", "=", session).execute();

async function remove(tx: Transaction<Database>, key: Omit<LeftRunningRow, "list">): Promise<void> {
  await tx
    .deleteFrom("left_running")
    .where("session", "=", key.session)
    .where("owner_host", "=", key.owner_host)
    .where("owner_pid", "=", key.owner_pid)
    .where("owner_start_time", "=", key.owner_start_time)
    .execute();
}
