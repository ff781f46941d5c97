import type { Kysely, Selectable } from "kysely";
import { type ItemId, type SessionId, type TurnId, asId } from "../../core/ids.ts";
import { type InputPart, type Message, type ToolCall, messageText } from "../../core/messages.ts";
import type { StoredMessage } from "../../core/session.ts";
import { columnsOf, prepared } from "../prepared.ts";
import type { Database, MessageRow } from "../schema/database.ts";
import { present } from "../present.ts";

type MessageOrigin = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly item: ItemId;
  readonly at: number;
};

/** The person's own row, with which a turn begins. */
export const userItem = asId<"itm">("user");

export async function insertMessages(
  tx: Kysely<Database>,
  origin: MessageOrigin,
  messages: readonly Message[],
): Promise<void> {
  const rows = messages.map((message) => messageRow(origin, message));
  const [first, ...others] = rows;
  if (first === undefined) return;
  if (others.length === 0) return void (await insertMessage(tx, first));
  await tx.insertInto("message").values(rows).execute();
}

const insertMessage = prepared((db, row: NewMessage) =>
  db.insertInto("message").values(columnsOf(row, messageColumns)),
);

const messageColumns = [
  "session",
  "turn_id",
  "item_id",
  "role",
  "at",
  "content",
  "parts",
  "tool_calls",
  "tool_call_id",
  "reasoning",
] as const;

type NewMessage = Omit<Selectable<MessageRow>, "seq">;

function messageRow({ session, turn, item, at }: MessageOrigin, message: Message): NewMessage {
  return {
    session,
    turn_id: turn,
    item_id: item,
    role: message.role,
    at,
    content: messageText(message),
    parts: typeof message.content === "string" ? null : JSON.stringify(message.content),
    tool_calls: message.role === "assistant" && message.toolCalls ? JSON.stringify(message.toolCalls) : null,
    tool_call_id: message.role === "tool" ? message.toolCallId : null,
    reasoning: message.role === "assistant" ? (message.reasoning ?? null) : null,
  };
}

/** All that was said in a session, in its order. */
export const rowsOf = (db: Kysely<Database>, id: SessionId) =>
  db.selectFrom("message").selectAll().where("session", "=", id).orderBy("seq");

export const storedMessage = (row: Selectable<MessageRow>): StoredMessage => ({
  seq: row.seq,
  turn: row.turn_id,
  item: row.item_id,
  at: row.at,
  message: messageOf(row),
});

function messageOf(row: Selectable<MessageRow>): Message {
  const { content } = row;
  switch (row.role) {
    case "user":
      return { role: "user", content: row.parts === null ? content : (JSON.parse(row.parts) as InputPart[]) };
    case "tool":
      return { role: "tool", toolCallId: row.tool_call_id ?? "", content };
    case "assistant": {
      const toolCalls = row.tool_calls === null ? null : (JSON.parse(row.tool_calls) as ToolCall[]);
      return { role: "assistant", content, ...present({ toolCalls, reasoning: row.reasoning }) };
    }
  }
}
