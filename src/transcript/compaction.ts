import type { StoredCompaction } from "../core/compaction.ts";
import type { AssistantMessage, Message } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";
import { history, historyByTurn, joinedUser } from "./history.ts";
import type { NumberedTurn, Row } from "./numbered-turn.ts";

export type CompactionView = Pick<StoredCompaction, "upTo" | "summary" | "pinned">;

/**
 * The conversation as a model is given it after these compactions, oldest first; without any, its plain history. The
 * newest summary stands in the place of what it covers, after the first user message. A turn that the border goes
 * through keeps what the person said in it, and the newest words of the person are there whatever the border is. Valid as
 * `history` is, and as steady where something is left behind the border: more turns only add to its end.
 */
export function compactedHistory(
  turns: readonly NumberedTurn[],
  compactions: readonly CompactionView[],
): readonly Message[] {
  const prunedTo = Math.max(Number.NEGATIVE_INFINITY, ...compactions.map(({ upTo }) => upTo));
  const pruned = turns.map(({ turn, rows }) => ({
    turn,
    rows: rows.map((row) => (row.seq <= prunedTo ? withoutLargeResult(row) : row)),
  }));
  const newest = compactions.findLast(({ summary }) => summary !== undefined);
  return history(newest === undefined ? pruned.map(plain) : summarised(pruned, newest));
}

/** All of it, turn by turn. */
export const wholeHistory = (turns: readonly NumberedTurn[]): readonly (readonly Message[])[] =>
  historyByTurn(turns.map(plain));

const plain = ({ turn, rows }: NumberedTurn): TurnRecord => ({
  turn,
  messages: rows.map(({ message }) => message),
});

function summarised(turns: readonly NumberedTurn[], compaction: CompactionView): readonly TurnRecord[] {
  const [first] = turns;
  if (first === undefined) return [];
  const newestWords = turns.findLast(({ rows }) => rows.some(isUser));
  const records = turns.map((turn) => rest(turn, compaction.upTo, turn === newestWords));
  const summary = summaryMessage(compaction);
  const [head] = records;
  const opening = first.rows.filter(isUser).map(({ message }) => message);
  if (head === undefined || head.messages.length === 0) {
    const done = { id: first.turn.id, state: "done" as const };
    return [{ turn: done, messages: [...opening.slice(0, 1), summary] }, ...records.slice(1)];
  }
  const said = head.messages.findIndex(({ role }) => role !== "user");
  const at = said < 0 ? head.messages.length : said;
  return [{ turn: first.turn, messages: head.messages.toSpliced(at, 0, summary) }, ...records.slice(1)];
}

/** What is left of a turn behind the border. */
function rest(turn: NumberedTurn, upTo: number, keep: boolean): TurnRecord {
  const left = turn.rows.filter(({ seq }) => seq > upTo);
  if (left.length === 0) return keep ? plain(turn) : { turn: turn.turn, messages: [] };
  const { turn: ended, messages } = plain({ ...turn, rows: left });
  const words = joinedUser(
    turn.rows.flatMap(({ seq, message }) => (seq <= upTo && message.role === "user" ? [message] : [])),
  );
  return { turn: ended, messages: words === undefined ? messages : [words, ...messages] };
}

/** Words of the assistant: it is made of what tools returned, too, and must not speak with the person's authority. */
function summaryMessage({ summary = "", pinned }: CompactionView): AssistantMessage {
  const pins = pinned.map((line) => `- ${line}`).join("\n");
  return {
    role: "assistant",
    content: [
      "[What was said here is given as a summary; the messages themselves are kept, and session_search finds them.]",
      summary,
      ...(pins === "" ? [] : [`The person wants these lines to be kept word for word:\n${pins}`]),
    ].join("\n\n"),
  };
}

const isUser = ({ message }: Row): boolean => message.role === "user";

/** A result longer than this is left out where it is old. */
export const largeResult = 2_000;

const beginning = 200;

/** The same row, with a line in the place of most of a large tool result. */
function withoutLargeResult<Numbered extends Row>(row: Numbered): Numbered {
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
