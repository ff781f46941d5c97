/** How many columns a text takes on a terminal: two for each letter of Chinese, Japanese and Korean, and for each emoji. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  letters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of letters.segment(text)) width += letterWidth(segment);
  return width;
}

/** Made when it is needed: it takes ten milliseconds, and most texts are plain. */
let letters: Intl.Segmenter | undefined;

function letterWidth(letter: string): number {
  if (nothing.test(letter)) return 0;
  return wide.test(letter) || letter.includes(emojiStyle) ? 2 : 1;
}

const emojiStyle = "\ufe0f";
const nothing = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const wide =
  /^(?:(?![\uff61-\uffdc])[\p{Emoji_Presentation}\p{Regional_Indicator}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;

/** Lines broken between words. What goes on below stands where its line began, and in a table where its column did. */
export const wrapped = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => (textWidth(line) <= width ? [line] : wrappedLine(line, width)))
    .join("\n");

function wrappedLine(line: string, width: number): readonly string[] {
  const head = /^ *(?:\S+ {2,})?/.exec(line)?.[0] ?? "";
  const below = " ".repeat(textWidth(head));
  const [first = "", ...words] = line.slice(head.length).split(" ");
  const lines = [`${head}${first}`];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    const fits = textWidth(longer) <= width;
    lines.splice(fits ? -1 : lines.length, 1, fits ? longer : `${below}${word}`);
  }
  return lines;
}
