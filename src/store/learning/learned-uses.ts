import { type Kysely, sql } from "kysely";
import type { UseSum } from "../../core/learning.ts";
import { dayMs } from "../../core/usage.ts";
import type { Access } from "../access.ts";
import type { Database } from "../schema/database.ts";
import type { LearnedUseTable, TurnCalls } from "../schema/learning-tables.ts";

/** Of the turn of the row. */
const calls = sql<number>`(select count(*) from item where item.turn_id = turn.id
  and json_extract(item.body, '$.kind') = 'call')`;

export const learnedUseTable = ({ read, write }: Access): LearnedUseTable => ({
  add: (uses) =>
    write(async (tx) => {
      for (const { kind, name, session, turn, at } of uses) {
        await tx
          .insertInto("learned_use")
          .values({ kind, name, session, turn_id: turn, at })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    }),

  sums: (kind) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("learned_use")
        .leftJoin("turn", "turn.id", "learned_use.turn_id")
        .select(({ fn }) => [
          "learned_use.name",
          fn.countAll<number>().as("uses"),
          fn.min("learned_use.at").as("first"),
          fn.max("learned_use.at").as("last"),
          sql<number>`count(*) filter (where turn.state = 'done')`.as("done"),
          sql<number>`count(*) filter (where turn.state in ('failed', 'interrupted'))`.as("failed"),
          sql<number>`coalesce(sum(${calls}), 0)`.as("calls"),
        ])
        .where("learned_use.kind", "=", kind)
        .groupBy("learned_use.name")
        .orderBy("uses", "desc")
        .orderBy("learned_use.name")
        .execute();
      return rows.map((row): UseSum => ({ kind, ...row }));
    }),

  compare: (of) => read((db) => compareTurns(db, of)),

  days: (from) => read((db) => byDay(db, from)),

  forget: (kind, name) =>
    write(async (tx) => {
      await tx.deleteFrom("learned_use").where("kind", "=", kind).where("name", "=", name).execute();
    }),
});

async function compareTurns(
  db: Kysely<Database>,
  { kind, name, learnedAt, most }: Parameters<LearnedUseTable["compare"]>[0],
): ReturnType<LearnedUseTable["compare"]> {
  const having = await endedTurns(db)
    .innerJoin("learned_use", "learned_use.turn_id", "turn.id")
    .where("learned_use.kind", "=", kind)
    .where("learned_use.name", "=", name)
    .orderBy("turn.seq", "desc")
    .limit(most)
    .execute();
  const folders = [...new Set(having.map(({ cwd }) => cwd))];
  if (folders.length === 0) return { having: summed([]), before: summed([]) };
  const before = await endedTurns(db)
    .where("turn.cwd", "in", folders)
    .where("turn.started_at", "<", learnedAt)
    .where("turn.id", "not in", (of) =>
      of.selectFrom("learned_use").select("turn_id").where("kind", "=", kind).where("name", "=", name),
    )
    .orderBy("turn.seq", "desc")
    .limit(having.length)
    .execute();
  return { having: summed(having), before: summed(before) };
}

async function byDay(db: Kysely<Database>, from: number): ReturnType<LearnedUseTable["days"]> {
  const day = sql<number>`turn.started_at / ${sql.lit(dayMs)}`;
  const uses = sql<number>`(select count(*) from learned_use where learned_use.turn_id = turn.id)`;
  const rows = await db
    .selectFrom("turn")
    .innerJoin("session", "session.id", "turn.session")
    .where("turn.state", "<>", "open")
    .where("turn.started_at", ">=", from)
    .where("session.parent", "is", null)
    .select(({ fn }) => [
      day.as("day"),
      fn.countAll<number>().as("turns"),
      sql<number>`sum(${calls})`.as("calls"),
      sql<number>`sum(${uses})`.as("uses"),
    ])
    .groupBy(day)
    .orderBy(day)
    .execute();
  return rows.map((row) => ({ ...row, day: dayName(row.day * dayMs) }));
}

/** Turns that have ended, in sessions that people began. */
const endedTurns = (db: Kysely<Database>) =>
  db
    .selectFrom("turn")
    .innerJoin("session", "session.id", "turn.session")
    .where("turn.state", "<>", "open")
    .where("session.parent", "is", null)
    .select(["turn.cwd", calls.as("calls")]);

const summed = (turns: readonly { readonly calls: number }[]): TurnCalls => ({
  turns: turns.length,
  calls: turns.reduce((sum, turn) => sum + turn.calls, 0),
});

const dayName = (at: number): string => new Date(at).toISOString().slice(0, 10);
