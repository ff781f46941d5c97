import { type NumberedTurn, type Row, messageSize } from "./numbered-turn.ts";

/** What stays as it is at the end: this many messages, as long as they are not larger than that. */
export type Tail = { readonly messages: number; readonly characters: number };

/**
 * The row up to which a summary can take the place of the rows after `from`, or `undefined` when that would gain
 * nothing. A call and its result stay on one side. What the view keeps anyway does not count as gained: the first user
 * message, and the words of the person in the turn that the border goes through.
 */
export function compactionBorder(
  turns: readonly NumberedTurn[],
  tail: Tail,
  from = Number.NEGATIVE_INFINITY,
): number | undefined {
  const rows = turns.flatMap((turn) => turn.rows.map((row) => ({ ...row, turn })));
  const start = wholeFrom(turns, tailStart(rows, tail));
  const border = rows[start - 1];
  if (border === undefined || border.seq <= from) return undefined;
  const cutTurn = rows[start]?.turn === border.turn ? border.turn : undefined;
  const [first] = rows;
  const gained = rows
    .slice(0, start)
    .filter(({ seq, turn, message }) => seq > from && !(message.role === "user" && turn === cutTurn))
    .filter((row) => !(row === first && row.message.role === "user"));
  return gained.length === 0 ? undefined : border.seq;
}

/** The last message is never too large to stay. */
function tailStart(rows: readonly Row[], tail: Tail): number {
  let characters = 0;
  let start = rows.length;
  while (start > 0 && rows.length - start < tail.messages) {
    const row = rows[start - 1];
    characters += row === undefined ? 0 : messageSize(row.message);
    if (characters > tail.characters && start < rows.length) break;
    start -= 1;
  }
  return start;
}

/** Moves a border back until no result behind it belongs to a call before it. */
function wholeFrom(turns: readonly NumberedTurn[], start: number): number {
  const calls = answeredCalls(turns);
  let border = start;
  for (;;) {
    const cut = calls.filter(({ call, result }) => call < border && result >= border);
    if (cut.length === 0) return border;
    border = cut.reduce((least, { call }) => Math.min(least, call), border);
  }
}

/** Where calls and their results stand. An id that comes again is answered in its order, as in `history`. */
function answeredCalls(
  turns: readonly NumberedTurn[],
): readonly { readonly call: number; readonly result: number }[] {
  let place = 0;
  return turns.flatMap(({ rows }) => {
    const open = new Map<string, number[]>();
    return rows.flatMap(({ message }) => {
      const at = place++;
      if (message.role === "assistant") {
        for (const { id } of message.toolCalls ?? []) open.set(id, [...(open.get(id) ?? []), at]);
      }
      const call = message.role === "tool" ? open.get(message.toolCallId)?.shift() : undefined;
      return call === undefined ? [] : [{ call, result: at }];
    });
  });
}
