import type { Kysely } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { Todo } from "../../core/todo.ts";
import type { Access } from "../access.ts";
import type { Database } from "../schema/database.ts";
import type { TodoTable } from "../schema/tool-tables.ts";

export const todoTable = ({ read, write }: Access): TodoTable => ({
  get: (session) => read((db) => latestTodos(db, session)),

  change: (session, turn, next) =>
    write(async (tx) => {
      const todos = next(await latestTodos(tx, session));
      const list = JSON.stringify(todos);
      await tx
        .insertInto("todo")
        .values({ session, turn_id: turn, list })
        .onConflict((conflict) => conflict.columns(["session", "turn_id"]).doUpdateSet({ list }))
        .execute();
      return todos;
    }),
});

/** As the last turn left it that was not taken back. */
export async function latestTodos(
  db: Kysely<Database>,
  session: SessionId,
  upTo?: number,
): Promise<readonly Todo[]> {
  const row = await db
    .selectFrom("todo")
    .leftJoin("turn", "turn.id", "todo.turn_id")
    .select("todo.list")
    .where("todo.session", "=", session)
    .where("turn.undone", "is", null)
    .$if(upTo !== undefined, (all) => all.where("turn.seq", "<=", upTo ?? 0))
    .orderBy("todo.seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? [] : (JSON.parse(row.list) as readonly Todo[]);
}
