import { type Kysely, sql } from "kysely";
import type { SessionId, TurnId } from "../../core/ids.ts";
import { prepared } from "../prepared.ts";
import type { Database, MessageRow } from "../schema/database.ts";
import type { ReadMark, SessionSince } from "../schema/past-table.ts";
import { storedMessage } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

/** All that came to a session after the mark, in one statement. `undefined`: older parts of it are not as they were, or nobody can say. */
export async function sessionSince(
  db: Kysely<Database>,
  session: SessionId,
  mark: ReadMark,
): Promise<SessionSince | undefined> {
  const { rows } = await rowsSince(db, { session, turn: mark.turn, events: mark.events });
  if (rows.length === 0 || rows.some((row) => !row.as_it_was)) return undefined;
  const turns = new Map(rows.map((row) => [row.id, storedTurn(row)]));
  return { turns: [...turns.values()], messages: rows.flatMap(messageIn) };
}

const rowsSince = prepared((db, at: ReadMark & { readonly session: SessionId }) =>
  db
    .selectFrom("turn")
    .leftJoin("message", "message.turn_id", "turn.id")
    .selectAll("turn")
    .select([
      "message.seq as row_seq",
      "message.item_id",
      "message.role",
      "message.at",
      "message.content",
      "message.parts",
      "message.tool_calls",
      "message.tool_call_id",
      "message.reasoning",
    ])
    .select(isAsItWas(db, at).as("as_it_was"))
    .where("turn.session", "=", at.session)
    .where("turn.seq", ">", seqOf(db, at.turn))
    .orderBy("turn.seq")
    .orderBy("message.seq"),
);

const seqOf = (db: Kysely<Database>, turn: TurnId) =>
  db.selectFrom("turn as known").select("known.seq").where("known.id", "=", turn);

/** By the event log: nothing of it is missing, no turn was taken back or summarised, and none that was known got anything more. */
function isAsItWas(
  db: Kysely<Database>,
  { session, turn, events }: ReadMark & { readonly session: SessionId },
) {
  const since = db
    .selectFrom("event")
    .where("event.session", "=", session)
    .where("event.number", ">", events);
  const changed = since
    .leftJoin("turn as of", "of.id", "event.turn_id")
    .where((is) =>
      is.or([
        is("event.type", "in", ["undone", "redone", "compacted", "uncompacted"]),
        is.and([is("event.type", "in", ["item", "steered", "ended"]), is("of.seq", "<=", seqOf(db, turn))]),
      ]),
    )
    .select("event.number");
  const first = since.select((of) => of.fn.min("event.number").as("first"));
  return sql<number | boolean>`${first} = ${events} + 1 and not exists ${changed}`;
}

type JoinedRow = { readonly id: TurnId; readonly session: SessionId; readonly row_seq: number | null } & {
  readonly [Name in Exclude<keyof MessageRow, "seq" | "session" | "turn_id">]: MessageRow[Name] | null;
};

/** A turn without rows is joined with nothing. */
function messageIn({ id, session, row_seq: seq, item_id, role, at, content, ...rest }: JoinedRow) {
  if (seq === null || item_id === null || role === null || at === null || content === null) return [];
  return [storedMessage({ ...rest, seq, turn_id: id, session, item_id, role, at, content })];
}
