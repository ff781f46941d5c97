/** A text as it is compared: case, width and kind of spaces make no difference. */
export const folded = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll(/\s+/gu, " ").trim();

/** What a text is searched for. */
export type Needle = {
  isIn(text: string): boolean;
  /** Numbers of the lines that have a part of it, from 0. It may begin on one line and end on another. */
  linesOf(text: string): ReadonlySet<number>;
};

/**
 * Whole words: `Ann` is not in `cannot`. Where words are written without spaces, anywhere. The text has to have a letter
 * or a digit in it.
 */
export function needle(wanted: string): Needle {
  const sought = folded(wanted);
  const matchesIn = (text: string): readonly number[] => {
    const matches: number[] = [];
    for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1))
      if (isWhole(text, at, sought)) matches.push(at);
    return matches;
  };
  return {
    isIn: (text) => sought !== "" && matchesIn(folded(text)).length > 0,
    linesOf(text) {
      const { joined, ends } = joinedLines(text);
      const lineAt = (offset: number): number => ends.findIndex((end) => offset < end);
      const found = new Set<number>();
      if (sought === "") return found;
      for (const at of matchesIn(joined))
        for (let line = lineAt(at); line <= lineAt(at + sought.length - 1); line++) found.add(line);
      return found;
    },
  };
}

/** `ends`: where each line ends in it. */
function joinedLines(text: string): { readonly joined: string; readonly ends: readonly number[] } {
  const ends: number[] = [];
  let joined = "";
  for (const line of text.split("\n")) {
    const piece = folded(line);
    if (piece !== "") joined += joined === "" ? piece : ` ${piece}`;
    ends.push(joined.length);
  }
  return { joined, ends };
}

function isWhole(text: string, at: number, sought: string): boolean {
  const before = lastLetter(text.slice(Math.max(0, at - 2), at));
  const [after = ""] = text.slice(at + sought.length, at + sought.length + 2);
  const [first = ""] = sought;
  const last = lastLetter(sought);
  return !(isWordy(before) && isWordy(first)) && !(isWordy(last) && isWordy(after));
}

const lastLetter = (text: string): string => /.$/su.exec(text)?.[0] ?? "";

/** Scripts that are written without spaces have no words that end somewhere. */
const isWordy = (letter: string): boolean => /[\p{L}\p{N}\p{M}]/u.test(letter) && !unspaced.test(letter);

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
