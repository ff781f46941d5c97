import type { Kysely, Transaction } from "kysely";
import type { Running } from "../../core/events.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { Database, LeftRunningRow } from "../schema/database.ts";
import type { LeftRunningTable } from "../schema/process-tables.ts";
import { waitedForBy, waitingOwner } from "../waiting-owner.ts";

export const leftRunningTable = ({ read, write }: Access): LeftRunningTable => ({
  async note(session, owner, running) {
    const key = { session, ...waitedForBy(owner) };
    const isThere = (row: LeftRunningRow): boolean =>
      row.owner_pid === owner.pid && row.owner_start_time === owner.startTime;
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
      rows.filter((row) => isGone(waitingOwner(row)));
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
