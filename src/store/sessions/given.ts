import type { Kysely, Selectable } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { Database, MessageRow, TurnRow } from "../schema/database.ts";
import type { SessionTable } from "../store.ts";
import { compactionsOf } from "./compactions.ts";
import { rowsOf, storedMessage } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

/** However long a session is, models are given what stands behind its last summary: so no more than that is read. */
export async function givenOf(db: Kysely<Database>, id: SessionId): ReturnType<SessionTable["given"]> {
  const compactions = await compactionsOf(db, id);
  const upTo = compactions.findLast(({ summary }) => summary !== undefined)?.upTo;
  const turns = upTo === undefined ? await allTurns(db, id) : await turnsBehind(db, id, upTo);
  const rows = upTo === undefined ? await rowsOf(db, id).execute() : await rowsOfTurns(db, id, turns);
  return { compactions, turns: turns.map(storedTurn), messages: rows.map(storedMessage) };
}

const allTurns = (db: Kysely<Database>, id: SessionId): Promise<readonly Selectable<TurnRow>[]> =>
  db.selectFrom("turn").selectAll().where("session", "=", id).orderBy("seq").execute();

/** The first turn, and all from the one on that the border goes through. */
async function turnsBehind(
  db: Kysely<Database>,
  id: SessionId,
  upTo: number,
): Promise<readonly Selectable<TurnRow>[]> {
  const border = db
    .selectFrom("message")
    .innerJoin("turn as cut", "cut.id", "message.turn_id")
    .select("cut.seq")
    .where("message.session", "=", id)
    .where("message.seq", "<=", upTo)
    .orderBy("message.seq", "desc")
    .limit(1);
  const first = db
    .selectFrom("turn as one")
    .select("one.seq")
    .where("one.session", "=", id)
    .where("one.undone", "is", null)
    .orderBy("one.seq")
    .limit(1);
  const ofSession = db.selectFrom("turn").selectAll().where("session", "=", id);
  const found = await ofSession
    .where("seq", ">=", (of) => of.fn.coalesce(border, of.lit(0)))
    .unionAll(ofSession.where("seq", "=", first).where("seq", "<", border))
    .execute();
  return found.toSorted((a, b) => a.seq - b.seq);
}

/** Of the first of these turns, and of all from the second one on. */
async function rowsOfTurns(
  db: Kysely<Database>,
  id: SessionId,
  [first, second]: readonly Selectable<TurnRow>[],
): Promise<readonly Selectable<MessageRow>[]> {
  if (first === undefined) return [];
  const ofFirst = db.selectFrom("message").selectAll().where("turn_id", "=", first.id);
  if (second === undefined) return ofFirst.orderBy("seq").execute();
  const start = db
    .selectFrom("message as one")
    .select((of) => of.fn.min("one.seq").as("start"))
    .where("one.turn_id", "=", second.id);
  const found = await rowsOf(db, id).clearOrderBy().where("seq", ">=", start).unionAll(ofFirst).execute();
  return found.toSorted((a, b) => a.seq - b.seq);
}
