import type { Insertable, Kysely, Selectable, Updateable } from "kysely";
import type { ScheduleId } from "../../core/ids.ts";
import type { Principal } from "../../core/principal.ts";
import type { Schedule, ScheduleChange, ScheduledJob, Timing } from "../../core/work/work.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { ScheduleRow } from "../schema/work-rows.ts";
import type { ModelLimits, ScheduleTable } from "../schema/work-tables.ts";

export const scheduleTable = ({ read, write }: Access): ScheduleTable => ({
  add: (schedule, most) =>
    write(async (tx) => {
      const taken = tx.selectFrom("schedule").select("id").where("name", "=", schedule.name);
      if ((await taken.where("state", "!=", "removed").executeTakeFirst()) !== undefined) return "named";
      if (most !== undefined && (await areMany(tx, most))) return "many";
      await tx.insertInto("schedule").values(rowOf(schedule)).execute();
      return "added";
    }),

  get: (id) =>
    read(async (db) => {
      const row = await db.selectFrom("schedule").selectAll().where("id", "=", id).executeTakeFirst();
      return row && scheduleOf(row);
    }),

  find: (text) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("schedule")
        .selectAll()
        .where("state", "!=", "removed")
        .where((is) =>
          is.or([
            is("name", "=", text),
            is.and([is("id", ">=", text as ScheduleId), is("id", "<", `${text}\u{10ffff}` as ScheduleId)]),
          ]),
        )
        .orderBy("made_at")
        .limit(10)
        .execute();
      const named = rows.filter(({ name }) => name === text);
      return (named.length > 0 ? named : rows).map(scheduleOf);
    }),

  list: () =>
    read(async (db) => {
      const all = db.selectFrom("schedule").selectAll().where("state", "!=", "removed");
      return (await all.orderBy("made_at").orderBy("id").execute()).map(scheduleOf);
    }),

  change: (id, revision, change) =>
    write(async (tx) => {
      const row = await tx
        .updateTable("schedule")
        .set({ ...columnsOf(change), revision: revision + 1 })
        .where("id", "=", id)
        .where("revision", "=", revision)
        .where("state", "!=", "removed")
        .returningAll()
        .executeTakeFirst();
      return row && scheduleOf(row);
    }),
});

async function areMany(db: Kysely<Database>, { alive, recent, since }: ModelLimits): Promise<boolean> {
  const rows = await db
    .selectFrom("schedule")
    .select(["made_at", "state"])
    .where("by_model", "=", 1)
    .execute();
  const [here, lately] = [
    rows.filter((row) => row.state !== "removed"),
    rows.filter((row) => row.made_at >= since),
  ];
  return here.length >= alive || lately.length >= recent;
}

const columnsOf = ({ name, timing, job, state, since, why }: ScheduleChange): Updateable<ScheduleRow> => ({
  ...(name === undefined ? {} : { name }),
  ...(timing === undefined ? {} : { timing: JSON.stringify(timing) }),
  ...(job === undefined ? {} : { job: JSON.stringify(job) }),
  ...(state === undefined ? {} : { state }),
  ...(since === undefined ? {} : { since }),
  ...(why === undefined ? {} : { why }),
});

const rowOf = (schedule: Schedule): Insertable<ScheduleRow> => ({
  id: schedule.id,
  name: schedule.name,
  timing: JSON.stringify(schedule.timing),
  job: JSON.stringify(schedule.job),
  state: schedule.state,
  why: schedule.why ?? null,
  made_by: JSON.stringify(schedule.by),
  made_at: schedule.madeAt,
  since: schedule.since,
  depth: schedule.depth,
  by_model: schedule.byModel ? 1 : 0,
  revision: schedule.revision,
});

const scheduleOf = (row: Selectable<ScheduleRow>): Schedule => ({
  id: row.id,
  name: row.name,
  timing: JSON.parse(row.timing) as Timing,
  job: JSON.parse(row.job) as ScheduledJob,
  state: row.state,
  ...present({ why: row.why }),
  by: JSON.parse(row.made_by) as Principal,
  madeAt: row.made_at,
  since: row.since,
  depth: row.depth,
  byModel: row.by_model === 1,
  revision: row.revision,
});
