/** What is said in chats and what is answered: of every word it can be told which chat and which message it belongs to. */
export type Mark = { readonly chat: number; readonly number: number; readonly line: number };

const pattern = /\bk(\d{3})-(\d{4})(?: (\d)\/\d)?/g;

const nameOf = (chat: number, number: number): string =>
  `k${String(chat).padStart(3, "0")}-${String(number).padStart(4, "0")}`;

export const question = (chat: number, number: number): string => `Please answer ${nameOf(chat, number)}.`;

/** Some answers are more than one message on every platform. */
export const linesFor = ({ number }: Pick<Mark, "number">): number => (number % 6 === 5 ? 4 : 1);

const filler = " and so it goes on".repeat(100);

/** Too long for one message together with three others, and alone not. */
const longLine = 1600;

/** An answer to all that is asked in a text. `width`: every line is exactly so long. */
export function answerTo(text: string, width?: number): string {
  const asked = marksIn(text);
  const lines = asked.flatMap((mark) => {
    const many = linesFor(mark);
    return Array.from({ length: many }, (_, at) => {
      const line = `Line ${nameOf(mark.chat, mark.number)} ${at + 1}/${many}`;
      if (width === undefined && many === 1) return `${line}.`;
      return `${line}:${filler}`.slice(0, width ?? longLine);
    });
  });
  return lines.length === 0 ? "Nothing was asked." : lines.join("\n\n");
}

/** In the order in which they stand there. `line` is 0 in a question. */
export const marksIn = (text: string): readonly Mark[] =>
  Array.from(text.matchAll(pattern), ([, chat, number, line = "0"]) => ({
    chat: Number(chat),
    number: Number(number),
    line: Number(line),
  }));

export const isInterrupted = (text: string): boolean => text.startsWith("That was interrupted");
/** What is shown while a turn runs is no answer. */
export const isStatusLine = (text: string): boolean => text.startsWith("⏳");
