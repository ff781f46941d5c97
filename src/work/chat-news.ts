import type { CardId } from "../core/cards/cards.ts";
import { inChatWords } from "../core/gateway/chat-words.ts";
import { type ChatNews, gatewayAlert } from "../core/gateway/gateway.ts";
import type { ScheduleId } from "../core/ids.ts";
import type { StoredOutcome } from "../core/work/work.ts";
import { type NewsDeps, lastWords, linesOf } from "./news.ts";

/** What became of work, as a chat tells it: answers whole, and times that were missed together. */
export async function chatNews(deps: NewsDeps): Promise<readonly ChatNews[]> {
  const rows = await deps.store.outcomes.untold();
  const groups = Map.groupBy(rows, (row) =>
    // Each answer is a message of its own.
    row.state === "missed" ? `${row.subject} ${row.target}` : row.id,
  );
  return Promise.all([...groups.values()].map((group) => newsOf(deps, group)));
}

async function newsOf(deps: NewsDeps, rows: readonly StoredOutcome[]): Promise<ChatNews> {
  const [first] = rows;
  if (first === undefined) throw new Error("news of nothing");
  const { subject, target, session, state, kind } = first;
  const schedule = await deps.store.schedules.get(subject as ScheduleId);
  const card = kind === "alert" ? cardIn(subject) : undefined;
  const isAnswer = schedule !== undefined && state === "ran" && session !== undefined;
  const text = isAnswer
    ? `**${schedule.name}**\n\n${await lastWords(deps.store, session)}`
    : inChatWords((await linesOf(deps, schedule, rows)).join("\n"));
  return {
    outcomes: rows.map(({ id }) => id),
    target,
    level: (await isWaiting(deps, first, card)) ? "needs" : "results",
    text,
    ...(card === undefined ? {} : { card }),
    ...(session === undefined ? {} : { session }),
  };
}

/** Does it go on only when the owner does something? */
async function isWaiting(
  { store }: NewsDeps,
  { kind, state, subject }: StoredOutcome,
  card: CardId | undefined,
): Promise<boolean> {
  if (card !== undefined) return (await store.cards.get(card))?.doneAt === undefined;
  if (kind === "alert") return subject.startsWith(gatewayAlert);
  return state === "refused" || state === "missed";
}

/** The attempt that it is about is named after its card. */
const cardIn = (subject: string): CardId | undefined =>
  (/^card (t_[^.]+)\.\d+$/.exec(subject)?.[1] as CardId | undefined) ?? undefined;
