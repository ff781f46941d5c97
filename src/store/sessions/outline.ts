import { type Kysely, sql } from "kysely";
import { type SessionId, type TurnId, asId } from "../../core/ids.ts";
import type { Message, ToolCall } from "../../core/messages.ts";
import type { TurnRecord } from "../../core/session.ts";
import { prepared } from "../prepared.ts";
import type { Database, MessageRow } from "../schema/database.ts";
import type { PastTable } from "../schema/past-table.ts";

/** Who spoke in a turn, which tools were called, and how its last row begins: enough to see what is due, however much was said. */
export async function outlineOf(
  db: Kysely<Database>,
  session: SessionId,
  { count, after: [one, other] = nowhere }: Parameters<PastTable["outline"]>[1],
): Promise<readonly TurnRecord[]> {
  const { rows } = await newestRows(db, { session, count, one, other });
  const turns = Map.groupBy(rows, ({ id }) => id);
  return [...turns.values()].map((own) => ({ turn: turnOf(own), messages: own.flatMap(messageIn) }));
}

const nowhere = [asId<"trn">(""), asId<"trn">("")] as const;

type Values = {
  readonly session: SessionId;
  readonly count: number;
  readonly one: TurnId;
  readonly other: TurnId;
};

const newestRows = prepared((db, of: Values) =>
  db
    .selectFrom(
      db
        .selectFrom("turn as newest")
        .select(["newest.id", "newest.seq", "newest.state", "newest.undone"])
        .where("newest.session", "=", of.session)
        .where("newest.seq", ">", (each) => each.fn.coalesce(firstOf(db, of), each.lit(0)))
        .orderBy("newest.seq", "desc")
        .limit(of.count)
        .as("turn"),
    )
    .leftJoin("message", (join) =>
      join.onRef("message.turn_id", "=", "turn.id").on((is) =>
        is.or([
          is("message.role", "=", "user"),
          is("message.tool_calls", "is not", null),
          is("message.seq", "=", (each) =>
            each
              .selectFrom("message as last")
              .select((column) => column.fn.max("last.seq").as("seq"))
              .whereRef("last.turn_id", "=", "turn.id"),
          ),
        ]),
      ),
    )
    .select(["turn.id", "turn.state", "turn.undone", "message.role", "message.tool_calls"])
    .select(sql<string | null>`substr(message.content, 1, 200)`.as("beginning"))
    .orderBy("turn.seq")
    .orderBy("message.seq"),
);

const firstOf = (db: Kysely<Database>, { one, other }: Values) =>
  db
    .selectFrom("turn as known")
    .select((of) => of.fn.min("known.seq").as("seq"))
    .where((is) => is.or([is("known.id", "=", one), is("known.id", "=", other)]));

type Row = Awaited<ReturnType<typeof newestRows>>["rows"][number];

function turnOf([first]: readonly Row[]): TurnRecord["turn"] {
  if (first === undefined) throw new Error("a group has no rows");
  return { id: first.id, state: first.state, ...(first.undone === null ? {} : { undone: true as const }) };
}

/** A turn without rows is joined with nothing. */
function messageIn({ role, tool_calls: calls, beginning }: Row): readonly Message[] {
  const content = beginning ?? "";
  switch (role) {
    case null:
      return [];
    case "user":
      return [{ role, content }];
    case "tool":
      return [{ role, toolCallId: "", content }];
    case "assistant":
      return [{ role, content, ...(calls === null ? {} : { toolCalls: callsIn(calls) }) }];
  }
}

const callsIn = (calls: NonNullable<MessageRow["tool_calls"]>): ToolCall[] => JSON.parse(calls) as ToolCall[];
