import { sql } from "kysely";
import type { UseSum } from "../core/learning.ts";
import type { Access } from "./access.ts";
import type { LearnedUseTable } from "./store.ts";

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
      const calls = sql`(select count(*) from item where item.turn_id = learned_use.turn_id
        and json_extract(item.body, '$.kind') = 'call')`;
      const rows = await db
        .selectFrom("learned_use")
        .leftJoin("turn", "turn.id", "learned_use.turn_id")
        .select(({ fn }) => [
          "learned_use.name",
          fn.countAll<number>().as("uses"),
          fn.min("learned_use.at").as("first"),
          fn.max("learned_use.at").as("last"),
          sql<number>`sum(turn.state = 'done')`.as("done"),
          sql<number>`sum(turn.state in ('failed', 'interrupted'))`.as("failed"),
          sql<number>`sum(${calls})`.as("calls"),
        ])
        .where("learned_use.kind", "=", kind)
        .groupBy("learned_use.name")
        .orderBy("uses", "desc")
        .orderBy("learned_use.name")
        .execute();
      return rows.map((row): UseSum => ({ kind, ...row, done: row.done ?? 0, failed: row.failed ?? 0 }));
    }),

  forget: (kind, name) =>
    write(async (tx) => {
      await tx.deleteFrom("learned_use").where("kind", "=", kind).where("name", "=", name).execute();
    }),
});
