import { cutWords, negationMarks, negations, stopWords } from "./stop-words.ts";

/** One way to write it. */
export const folded = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll(/[’ʼ´]/g, "'").normalize("NFC");

const run = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\u30FC]+/u;

/** All words, in their order. */
export const tokensOf = (text: string): readonly string[] => folded(text).match(run) ?? [];

/** The words that carry what a text says, each once; in scripts without spaces pairs of characters. */
export const contentWords = (text: string): readonly string[] => [...new Set(contentSequence(text))];

/** The same as they stand there. */
export const contentSequence = (text: string): readonly string[] =>
  tokensOf(text)
    .flatMap((word) => (unspaced.test(word) ? pieces(word) : [bare(word)]))
    .filter((word) => !/^\p{Nd}*$/u.test(word) && !stopWords.has(word) && !negations.has(word));

/** Without what is written together with it in English and French. */
const bare = (word: string): string =>
  word.replace(/'s$/, "").replace(/^(?:[jldmtscn]|qu)'(?=\p{L}{2})/u, "");

function pieces(word: string): readonly string[] {
  return word.split(new RegExp(`(${unspaced.source})`, "u")).flatMap((part) => {
    if (!unspaced.test(part)) return part === "" ? [] : [part];
    const cut = cutWords.reduce((text, one) => text.replaceAll(one, " "), part);
    return cut.split(" ").flatMap(pairs);
  });
}

function pairs(text: string): readonly string[] {
  const letters = [...text];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, at) => `${letters[at] ?? ""}${letter}`);
}

/** Is one of these words the same in another form? */
export function matcher(words: Iterable<string>): (word: string) => boolean {
  const known = new Set(words);
  const stems = new Set([...known].map(stem));
  const byStart = Map.groupBy(known, (word) => word.slice(0, least));
  return (word) =>
    known.has(word) ||
    stems.has(stem(word)) ||
    (byStart.get(word.slice(0, least)) ?? []).some((other) => isFormOf(word, other));
}

/** Pairs across the border of two words, and endings, differ with what stands around: their other characters have to be said. */
export function ownPieces(said: string): (word: string) => boolean {
  const letters = new Set(said);
  return (word) =>
    unspaced.test(word) &&
    /[^\p{Script=Hiragana}]/u.test(word) &&
    [...word].every((letter) => letters.has(letter) || /\p{Script=Hiragana}/u.test(letter));
}

/** Shorter beginnings say too little. */
const least = 4;

/** All but the ending is alike: `approve`, `approval`. Not `approach`, and not `mall`, `Mallory`. */
function isFormOf(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let common = 0;
  while (common < short.length && short[common] === long[common]) common += 1;
  if (/\d/.test(long.slice(common)) || /\d/.test(short.slice(common))) return false;
  return common >= least && short.length - common <= 1 && long.length - common <= (common < 6 ? 2 : 4);
}

/** Crude: what most languages around here put behind a short word. */
const stem = (word: string): string => /^(\p{L}{3,}?)(?:ing|ed|es|en|s|e|n)$/u.exec(word)?.[1] ?? word;

/** Does it deny something? */
export const isNegative = (text: string): boolean =>
  negationMarks.test(text) || tokensOf(text).some(isNegation);

export const isNegation = (word: string): boolean => negations.has(word) || word.endsWith("n't");
