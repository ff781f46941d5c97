import type { Access } from "../access.ts";
import type { ProcessTable } from "../schema/process-tables.ts";

export const processTable = ({ read, write }: Access): ProcessTable => ({
  add: ({ pid, startTime, kind, owner }) =>
    write(async (tx) => {
      const facts = {
        kind,
        owner_host: owner.host,
        owner_pid: owner.pid,
        owner_start_time: owner.startTime,
      };
      await tx
        .insertInto("process")
        .values({ pid, start_time: startTime, ...facts })
        .onConflict((conflict) => conflict.columns(["pid", "start_time"]).doUpdateSet(facts))
        .execute();
    }),

  remove: (pid, startTime) =>
    write(async (tx) => {
      await tx.deleteFrom("process").where("pid", "=", pid).where("start_time", "=", startTime).execute();
    }),

  list: () =>
    read(async (db) => {
      const rows = await db.selectFrom("process").selectAll().orderBy("pid").orderBy("start_time").execute();
      return rows.map((row) => ({
        pid: row.pid,
        startTime: row.start_time,
        kind: row.kind,
        owner: { host: row.owner_host, pid: row.owner_pid, startTime: row.owner_start_time },
      }));
    }),
});
