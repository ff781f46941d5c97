import { type Message, messageText } from "../core/messages.ts";
import { oneLine } from "../core/plain-text.ts";
import type { SearchHit, Session, StoredMessage } from "../core/session.ts";
import { cutMiddle } from "./cut-middle.ts";

/** Sessions, hits and messages in few words, for a model. */

export const sessionLine = (session: Session): string =>
  [session.id, session.title ?? "(no title)", moment(session.updatedAt), session.surface, session.cwd]
    .map(oneLine)
    .join(" · ");

type Mask = (text: string) => string;

/** `message`: where it was found. A snippet of a text with a secret in it may be half of that. */
export const hitLines = (
  hit: SearchHit,
  number: number,
  message: StoredMessage | undefined,
  mask: Mask,
): readonly string[] => [
  `${number}. ${hit.session} · ${oneLine(hit.title ?? "(no title)")} · #${hit.seq} · ${hit.role} · ${moment(hit.at)}`,
  `   ${oneLine(message === undefined || isPlain(message, mask) ? hit.snippet : cutMiddle(mask(wordsOf(message.message)), maxSnippet))}`,
];

const isPlain = ({ message }: StoredMessage, mask: Mask): boolean =>
  mask(wordsOf(message)) === wordsOf(message);

const maxSnippet = 200;

const maxChars = 600;
const maxCharsOfMain = 4000;

/** The message with the number `main` is shown at greater length. */
export const messageLines = (
  messages: readonly StoredMessage[],
  mask: Mask,
  main?: number,
): readonly string[] =>
  messages.map(({ seq, at, message }) => {
    const text = cutMiddle(mask(wordsOf(message)), seq === main ? maxCharsOfMain : maxChars);
    return `#${seq} ${message.role} ${moment(at)}: ${text}`;
  });

function wordsOf(message: Message): string {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [messageText(message), ...calls.map((call) => `[calls ${call.name} ${call.arguments}]`)]
    .filter((words) => words.trim() !== "")
    .join("\n");
}

const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
