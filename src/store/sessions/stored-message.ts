import type { Insertable, Selectable } from "kysely";
import { type ItemId, type SessionId, type TurnId, asId } from "../../core/ids.ts";
import { type InputPart, type Message, type ToolCall, messageText } from "../../core/messages.ts";
import type { StoredMessage } from "../../core/session.ts";
import type { MessageRow } from "../schema/database.ts";
import { present } from "../present.ts";

type MessageOrigin = {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly item: ItemId;
  readonly at: number;
};

/** The person's own row, with which a turn begins. */
export const userItem = asId<"itm">("user");

export function messageRow(
  { session, turn, item, at }: MessageOrigin,
  message: Message,
): Insertable<MessageRow> {
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
