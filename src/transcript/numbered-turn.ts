import type { TurnId } from "../core/ids.ts";
import type { Message } from "../core/messages.ts";
import type { StoredMessage, TurnRecord, StoredTurn } from "../core/session.ts";

export type Row = Pick<StoredMessage, "seq" | "message">;

/** A turn whose rows have their numbers, so that a border between them can be named. */
export type NumberedTurn = { readonly turn: TurnRecord["turn"]; readonly rows: readonly Row[] };

export function numberedTurns<Turn extends TurnRecord["turn"]>(
  turns: readonly Turn[],
  messages: readonly StoredMessage[],
): readonly (NumberedTurn & { readonly turn: Turn })[] {
  const rows = Map.groupBy(messages, ({ turn }) => turn);
  return turns.map((turn) => ({ turn, rows: rows.get(turn.id) ?? [] }));
}

/** How much a model reads of a message, in characters. Pictures count as what they cost, not as their data. */
export function messageSize(message: Message): number {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const called = calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  if (typeof message.content === "string") return message.content.length + called;
  return message.content.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : pictureSize),
    called,
  );
}

const pictureSize = 4_000;

/** The turns that the person took back. */
export const undoneTurns = (turns: readonly Pick<StoredTurn, "id" | "undone">[]): ReadonlySet<TurnId> =>
  new Set(turns.filter(({ undone }) => undone === true).map(({ id }) => id));
