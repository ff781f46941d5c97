import type { OutboxRecord, Records } from "./records.ts";
import { type Mark, isInterrupted, isStatusLine, linesFor, marksIn } from "./words.ts";

/** A message of the bot, as its chat shows it. */
export type Shown = { readonly id: string; readonly text: string };

/** A chat after all is over. `said`: the platform's names of the messages, by their number. */
export type SeenChat = {
  readonly index: number;
  readonly surface: string;
  readonly chat: string;
  readonly said: ReadonlyMap<number, string>;
  readonly shown: readonly Shown[];
};

export type Verdict = {
  readonly messages: number;
  /** Messages of which every word of the answer is there once. */
  readonly answered: number;
  /** Whose turn was cut off by a kill, which was said once. */
  readonly interrupted: number;
  /** Whose answer is one of which nobody knows whether it arrived, or has such a part; that was said. */
  readonly ambiguous: number;
  /** Messages of ours of which a chat was told that nobody knows whether they arrived. */
  readonly ambiguousTold: number;
  /** Of these notices, those that were sent a second time because nobody knew about the first. */
  readonly toldAgain: number;
  readonly statusLinesLeft: number;
  /** What must not be: `lost: …`, `doubled: …`, `misplaced: …`, `order: …`, `open: …` */
  readonly broken: readonly string[];
};

/** Compares what people see with what was said, and with what the store knows about it. */
export function verdictOf(chats: readonly SeenChat[], records: Records): Verdict {
  const each = chats.map((chat) => verdictOfChat(chat, records));
  const sum = (of: keyof Omit<Verdict, "broken">): number => each.reduce((total, one) => total + one[of], 0);
  return {
    messages: sum("messages"),
    answered: sum("answered"),
    interrupted: sum("interrupted"),
    ambiguous: sum("ambiguous"),
    ambiguousTold: sum("ambiguousTold"),
    toldAgain: sum("toldAgain"),
    statusLinesLeft: sum("statusLinesLeft"),
    broken: [...each.flatMap(({ broken }) => broken), ...openEnds(records)],
  };
}

export const countOf = ({ broken }: Pick<Verdict, "broken">, word: string): number =>
  broken.filter((line) => line.startsWith(`${word}:`)).length;

function verdictOfChat(chat: SeenChat, records: Records): Verdict {
  const rows = records.outbox.filter((row) => row.surface === chat.surface && row.chat === chat.chat);
  const posts = postsOf(chat, rows);
  const fates = [...chat.said].map(([number, id]) =>
    fateOf(chat, { number, id }, rows, posts.shown, records),
  );
  const count = (fate: string): number => fates.filter((one) => one === fate).length;
  const notices = rows.filter(({ about }) => about?.startsWith("obx_") === true);
  const where = `${chat.surface} ${chat.chat}`;
  return {
    messages: chat.said.size,
    answered: count("answered"),
    interrupted: count("interrupted"),
    ambiguous: count("ambiguous"),
    ambiguousTold: notices.length,
    toldAgain: notices.filter(({ attempts }) => attempts > 1).length,
    statusLinesLeft: chat.shown.filter(({ text }) => isStatusLine(text)).length,
    broken: [
      ...fates.filter((fate) => fate.includes(":")),
      ...posts.broken,
      ...untold(rows, posts.shown),
      ...misplaced(chat),
      ...disordered(chat, posts.shown, records),
    ].map((line) => `${line} (${where})`),
  };
}

type Post = Shown & { readonly row?: OutboxRecord };

/** Which row of the outbox each message was: by its name, or, if nobody heard that, by its words. */
function postsOf({ shown }: SeenChat, rows: readonly OutboxRecord[]) {
  const sent = new Map(rows.filter(({ state }) => state === "sent").map((row) => [row.platformId, row]));
  const unsure = rows.flatMap((row) => Array.from({ length: unheardOf(row) }, () => row));
  const broken: string[] = [];
  let before = -1;
  const found = (row: OutboxRecord): OutboxRecord => {
    before = Math.max(before, rows.indexOf(row));
    return row;
  };
  const posts = shown
    .filter(({ text }) => !isStatusLine(text))
    .map((message): Post => {
      const known = sent.get(message.id);
      if (known !== undefined && !sameWords(known.text, message.text))
        broken.push(
          `misplaced: "${known.text.slice(0, 60)}" was sent, and "${message.text.slice(0, 60)}" is there`,
        );
      if (known !== undefined) return { ...message, row: found(known) };
      const alike = unsure.filter((row) => sameWords(row.text, message.text));
      // Of several with the same words, that which stands where it would be sent: those before may never have been shown.
      const row = alike.find((one) => rows.indexOf(one) > before) ?? alike[0];
      if (row !== undefined) {
        unsure.splice(unsure.indexOf(row), 1);
        return { ...message, row: found(row) };
      }
      broken.push(`doubled: "${message.text.slice(0, 60)}" is no message that was sent`);
      return message;
    });
  const there = new Set(shown.map(({ id }) => id));
  for (const [id, { text }] of sent)
    if (id !== null && !there.has(id)) broken.push(`lost: "${text.slice(0, 60)}" was sent, and is not there`);
  return { shown: posts, broken };
}

/** How often it may be there without anybody having heard so: a notice as often as it was sent, everything else once. */
function unheardOf({ state, about, attempts }: OutboxRecord): number {
  if (about?.startsWith("obx_") === true) return state === "sent" ? attempts - 1 : attempts;
  return state === "ambiguous" ? 1 : 0;
}

const sameWords = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

function fateOf(
  chat: SeenChat,
  { number, id }: { readonly number: number; readonly id: string },
  rows: readonly OutboxRecord[],
  posts: readonly Post[],
  { received, turns }: Records,
): string {
  const name = `message ${number}`;
  const row = received.find(
    (one) => one.surface === chat.surface && one.chat === chat.chat && one.messageId === id,
  );
  if (row === undefined) return `lost: ${name} was never received`;
  if (row.fate !== "admitted") return `lost: ${name} is ${row.fate ?? row.state}`;
  const ran = turns.filter(({ inbox }) => inbox === row.inbox);
  const [turn] = ran;
  if (turn === undefined || ran.length > 1) return `lost: ${name} has ${ran.length} turns`;
  const ofTurn = rows.filter((one) => one.turn === turn.id);
  const seen = posts.flatMap(({ text }) => marksIn(text)).filter((mark) => mark.number === number);
  const counts = Array.from({ length: linesFor({ number }) }, (_, at) => ofLine(seen, chat.index, at + 1));
  if (counts.some((count) => count > 1)) return `doubled: ${name} is answered twice`;
  if (counts.every((count) => count === 1)) return "answered";
  const isUnsure = (text: (row: OutboxRecord) => boolean): boolean =>
    ofTurn.some((one) => one.state === "ambiguous" && text(one));
  const told = posts.filter((post) => post.row?.turn === turn.id && isInterrupted(post.text)).length;
  if (counts.every((count) => count === 0) && told === 1) return "interrupted";
  if (told > 1) return `doubled: ${name} was told as interrupted ${told} times`;
  if (isUnsure(({ text }) => isInterrupted(text))) return "ambiguous";
  const holds = (line: number) => (one: OutboxRecord) =>
    ofLine(marksIn(one.text), chat.index, line, number) > 0;
  const isKnown = counts.every((count, at) => count === 1 || isUnsure(holds(at + 1)));
  return isKnown
    ? "ambiguous"
    : `lost: ${name} has ${counts.join(", ")} of its lines, and nothing is said of it`;
}

const ofLine = (marks: readonly Mark[], chat: number, line: number, number?: number): number =>
  marks.filter(
    (mark) => mark.chat === chat && mark.line === line && (number === undefined || mark.number === number),
  ).length;

/** Of each message that may or may not have arrived, its chat is told. */
function untold(rows: readonly OutboxRecord[], posts: readonly Post[]): readonly string[] {
  const unsure = rows.filter(({ state, about }) => state === "ambiguous" && !about?.startsWith("obx_"));
  return unsure.flatMap(({ id }) => {
    const notices = rows.filter(({ about }) => about === id);
    const shown = posts.filter(({ row }) => row?.about === id).length;
    if (notices.length === 1 && shown >= 1 && shown <= (notices[0]?.attempts ?? 0)) return [];
    return [`lost: ${id} is ambiguous, with ${notices.length} notices that are shown ${shown} times`];
  });
}

const misplaced = ({ shown, index }: SeenChat): readonly string[] =>
  shown.flatMap(({ text }) =>
    marksIn(text)
      .filter((mark) => mark.chat !== index)
      .map((mark) => `misplaced: words for chat ${mark.chat} in chat ${index}`),
  );

/** What belongs to later messages comes later, whether it answers them or says that they were cut off. */
function disordered(chat: SeenChat, posts: readonly Post[], records: Records): readonly string[] {
  const inboxOf = new Map(records.turns.map(({ id, inbox }) => [id, inbox]));
  const numbers = new Map<string, number>();
  const idOf = new Map([...chat.said].map(([number, id]) => [id, number]));
  for (const { surface, chat: name, messageId, inbox } of records.received) {
    const number = idOf.get(messageId);
    if (surface !== chat.surface || name !== chat.chat || inbox === null || number === undefined) continue;
    numbers.set(inbox, Math.min(number, numbers.get(inbox) ?? number));
  }
  const order = posts.flatMap(({ row }) => numbers.get(inboxOf.get(row?.turn ?? "") ?? "") ?? []);
  const lines = posts.flatMap(({ text }) => marksIn(text)).map(({ number, line }) => number * 10 + line);
  return [order, lines].flatMap((list) =>
    list.every((value, at) => at === 0 || value >= (list[at - 1] ?? 0))
      ? []
      : [`order: it shows ${list.join(", ")}`],
  );
}

function openEnds({ received, turns, outbox, waiting }: Records): readonly string[] {
  const unsettled = outbox.filter(({ state }) => !["sent", "ambiguous"].includes(state));
  return [
    ...received
      .filter(({ state }) => state !== "done")
      .map((row) => `open: ${row.messageId} is ${row.state}`),
    ...turns.filter(({ state }) => state === "open").map(({ id }) => `open: ${id} never ended`),
    ...unsettled.map(({ id, state, text }) => `open: ${id} is ${state}: ${text.slice(0, 60)}`),
    ...(waiting === 0 ? [] : [`open: ${waiting} inputs wait`]),
  ];
}
