import type { Insertable, Selectable, Transaction } from "kysely";
import type { Goal, GoalStep } from "../../core/goal.ts";
import type { GoalId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { Database } from "../schema/database.ts";
import type { GoalChange, GoalRow, GoalStepRow, GoalTable } from "../schema/goal-table.ts";

export const goalTable = (access: Access): GoalTable => ({ ...writers(access), ...readers(access) });

type Readers = "of" | "find" | "active" | "steps";

const writers = ({ write }: Access): Omit<GoalTable, Readers> => ({
  add: (goal) =>
    write(async (tx) => {
      const open = tx.selectFrom("goal").select("id").where("session", "=", goal.session);
      if ((await open.where("state", "in", openStates).executeTakeFirst()) !== undefined) return false;
      await tx.insertInto("goal").values(rowOf(goal)).execute();
      return true;
    }),

  change: (goal, change, at) => write((tx) => changed(tx, goal, change, at)),

  keep: ({ goal, turn, by, verdict, text, exitCode, at }, change) =>
    write(async (tx) => {
      const active = tx.selectFrom("goal").select("id").where("id", "=", goal).where("state", "=", "active");
      if ((await active.executeTakeFirst()) === undefined) return false;
      const known = await tx.selectFrom("goal_step").selectAll().where("goal", "=", goal).execute();
      if (known.some(({ turn_id }) => turn_id === turn)) return false;
      await tx
        .insertInto("goal_step")
        .values({
          goal,
          number: known.length + 1,
          turn_id: turn,
          found_by: by,
          verdict,
          text,
          exit_code: exitCode ?? null,
          at,
        })
        .execute();
      if (change.state !== undefined) await changed(tx, goal, change, at);
      return true;
    }),

  told: (goal) =>
    write(async (tx) => {
      await tx.updateTable("goal").set({ told: 1 }).where("id", "=", goal).execute();
    }),

  takeUnreported: (session) =>
    write(async (tx) => {
      const untold = tx.updateTable("goal").set({ told: 1 }).where("session", "=", session);
      return (await untold.where("told", "=", 0).returningAll().execute()).map(goalOf);
    }),
});

const readers = ({ read }: Access): Pick<GoalTable, Readers> => ({
  of: (session) =>
    read(async (db) => {
      const all = db.selectFrom("goal").selectAll().where("session", "=", session);
      const row = await all.orderBy("created_at", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
      return row && goalOf(row);
    }),

  find: (idPrefix) =>
    read(async (db) => {
      const from = db
        .selectFrom("goal")
        .selectAll()
        .where("id", ">=", idPrefix as GoalId);
      const rows = from.where("id", "<", `${idPrefix}\u{10ffff}` as GoalId).orderBy("id", "desc");
      return (await rows.limit(10).execute()).map(goalOf);
    }),

  active: () =>
    read(async (db) => {
      const rows = await db.selectFrom("goal").selectAll().where("state", "=", "active").execute();
      return rows.map(goalOf);
    }),

  steps: (goal) =>
    read(async (db) => {
      const rows = db.selectFrom("goal_step").selectAll().where("goal", "=", goal).orderBy("number");
      return (await rows.execute()).map(stepOf);
    }),
});

const openStates = ["active", "paused"] as const;

async function changed(
  tx: Transaction<Database>,
  goal: GoalId,
  { state, why, subgoals, limit, untold }: GoalChange,
  at: number,
): Promise<Goal | undefined> {
  const row = await tx
    .updateTable("goal")
    .set({
      ...(state === undefined ? {} : { state, why: why ?? null, told: untold === true ? 0 : 1 }),
      ...(subgoals === undefined ? {} : { subgoals: JSON.stringify(subgoals) }),
      ...(limit === undefined ? {} : { limits: JSON.stringify(limit) }),
      updated_at: at,
    })
    .where("id", "=", goal)
    .where("state", "in", openStates)
    .returningAll()
    .executeTakeFirst();
  return row && goalOf(row);
}

const rowOf = (goal: Goal): Insertable<GoalRow> => ({
  id: goal.id,
  session: goal.session,
  text: goal.text,
  subgoals: JSON.stringify(goal.subgoals),
  check_command: goal.check?.command ?? null,
  check_cwd: goal.check?.cwd ?? null,
  state: goal.state,
  why: goal.why ?? null,
  limits: JSON.stringify(goal.limit),
  spent_before: JSON.stringify(goal.before),
  made_by: JSON.stringify(goal.by),
  created_at: goal.createdAt,
  updated_at: goal.updatedAt,
});

const goalOf = (row: Selectable<GoalRow>): Goal => ({
  id: row.id,
  session: row.session,
  text: row.text,
  subgoals: JSON.parse(row.subgoals) as Goal["subgoals"],
  ...(row.check_command === null || row.check_cwd === null
    ? {}
    : { check: { command: row.check_command, cwd: row.check_cwd } }),
  state: row.state,
  ...(row.why === null ? {} : { why: row.why }),
  limit: JSON.parse(row.limits) as Goal["limit"],
  before: JSON.parse(row.spent_before) as Goal["before"],
  by: JSON.parse(row.made_by) as Goal["by"],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const stepOf = (row: Selectable<GoalStepRow>): GoalStep => ({
  goal: row.goal,
  number: row.number,
  turn: row.turn_id,
  by: row.found_by,
  verdict: row.verdict,
  text: row.text,
  ...(row.exit_code === null ? {} : { exitCode: row.exit_code }),
  at: row.at,
});
