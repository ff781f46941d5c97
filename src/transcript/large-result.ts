import type { NumberedTurn, Row } from "./numbered-turn.ts";

/** A result longer than this is left out where it is old. */
export const largeResult = 2_000;

const beginning = 200;

/** The same row, with a line in the place of most of a large tool result. */
export function withoutLargeResult<Numbered extends Row>(row: Numbered): Numbered {
  const { message } = row;
  if (message.role !== "tool" || message.content.length <= largeResult) return row;
  const start = message.content.slice(0, beginning).toWellFormed();
  const left = message.content.length - start.length;
  const note = `[${left} more characters of this result are left out, because it is old. session_search finds them; or call the tool again.]`;
  return { ...row, message: { ...message, content: `${start}…\n${note}` } };
}

/** What leaving them out of the rows after `from` and up to `upTo` would save. */
export function largeResults(
  turns: readonly NumberedTurn[],
  from: number,
  upTo: number,
): { readonly results: number; readonly characters: number } {
  const saved = turns
    .flatMap(({ rows }) => rows)
    .filter(({ seq }) => seq > from && seq <= upTo)
    .map((row) => row.message.content.length - withoutLargeResult(row).message.content.length)
    .filter((characters) => characters > 0);
  return { results: saved.length, characters: saved.reduce((sum, one) => sum + one, 0) };
}
