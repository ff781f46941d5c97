import type { Transaction } from "kysely";
import type { TurnId } from "../../core/ids.ts";
import type { StoredTurn } from "../../core/session.ts";
import { forgetBindings } from "../bindings.ts";
import type { Database } from "../schema/database.ts";
import { requireLease } from "../leases.ts";
import type { Lease } from "../store.ts";
import { storedTurn } from "./stored-turn.ts";

export async function undoTurns(
  tx: Transaction<Database>,
  lease: Lease,
  turns: readonly TurnId[],
): Promise<void> {
  const { session } = lease;
  await requireLease(tx, lease);
  if (turns.length === 0) return;
  const marked = await tx
    .updateTable("turn")
    .set((of) => ({
      undone: of
        .selectFrom("turn as other")
        .select((its) => its(its.fn.coalesce(its.fn.max("other.undone"), its.lit(0)), "+", 1).as("next"))
        .where("other.session", "=", session),
    }))
    .where("session", "=", session)
    .where("id", "in", turns)
    .where("state", "!=", "open")
    .where("undone", "is", null)
    .executeTakeFirst();
  if (Number(marked.numUpdatedRows) !== turns.length) {
    throw new Error(`session ${session}: not all of ${turns.join(", ")} are ended turns of it that hold`);
  }
  await forgetBindings(tx, session);
}

/** An undo takes the newest turns that hold, so one that holds and is newer was opened after it. */
export async function redoTurns(
  tx: Transaction<Database>,
  lease: Lease,
): Promise<readonly StoredTurn[] | "none" | "since"> {
  const { session } = lease;
  await requireLease(tx, lease);
  const turns = tx.selectFrom("turn").where("session", "=", session);
  const { last } = await turns.select((of) => of.fn.max("undone").as("last")).executeTakeFirstOrThrow();
  if (last === null) return "none";
  const newer = turns
    .select("id")
    .where("undone", "is", null)
    .where("seq", ">", (of) =>
      of
        .selectFrom("turn as taken")
        .select((its) => its.fn.min("taken.seq").as("first"))
        .where("taken.session", "=", session)
        .where("taken.undone", "=", last),
    );
  if ((await newer.executeTakeFirst()) !== undefined) return "since";
  const back = await tx
    .updateTable("turn")
    .set({ undone: null })
    .where("session", "=", session)
    .where("undone", "=", last)
    .returningAll()
    .execute();
  await forgetBindings(tx, session);
  return back.toSorted((a, b) => a.seq - b.seq).map(storedTurn);
}
