/**
 * One line with everything spelled out that a reader could not see or would take for something else: `\u{202E}`, or
 * `\u{20*37}` for 37 of a kind. Nothing is lost: what stands between the braces, put back, is the line again; a line that
 * holds `\u{` itself has its backslash spelled out.
 */
export function exactly(line: string): string {
  if (isPlain(line)) return line;
  const characters = Array.from(line);
  const words = wordsOf(line);
  const end = line.replace(/ +$/, "").length;
  const wide = wideGaps(line);
  let at = 0;
  const kept = characters.map((character, index) => {
    const from = at;
    at += character.length;
    if (character === " ") return from < end && !wide.some(([start, stop]) => from >= start && from < stop);
    if (character === "\\") return !line.startsWith("\\u{", from);
    if (/^[\x21-\x7e]$/.test(character)) return true;
    return looksLikeItself(
      character,
      words.get(from) ?? "",
      characters.slice(Math.max(0, index - 2), index).join(""),
    );
  });
  return spelled(characters, kept);
}

/** Nothing to spell out, at a glance. */
const isPlain = (line: string): boolean => /^[\x20-\x7e]*$/.test(line) && !/\\u\{| {41}| $/.test(line);

/** A line of prose or code: every script is shown as it is, and nothing in it can steer a screen. */
export function readably(line: string): string {
  const characters = Array.from(line.replaceAll("\t", tab));
  return spelled(
    characters,
    characters.map((character) => !unseen.test(character)),
  );
}

/** Is there anything in the text that `exactly` has to spell out, line ends aside? */
export const hidesSomething = (text: string): boolean =>
  text.split("\n").some((line) => exactly(line) !== line);

const tab = "→   ";

/** Pushes what follows out of sight. */
const widestGap = 40;

const wideGaps = (line: string): readonly (readonly [from: number, to: number])[] =>
  Array.from(line.matchAll(/ +/g), ({ 0: gap, index }) => [index, index + gap.length] as const).filter(
    ([from, to]) => to - from > widestGap,
  );

/** The word that each position belongs to. */
function wordsOf(line: string): ReadonlyMap<number, string> {
  const words = new Map<number, string>();
  for (const { 0: word, index } of line.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    for (let at = index; at < index + word.length; at++) words.set(at, word);
  }
  return words;
}

function spelled(characters: readonly string[], kept: readonly boolean[]): string {
  const parts: string[] = [];
  for (let at = 0, run = 1; at < characters.length; at += run) {
    const character = characters[at] ?? "";
    run = kept[at] === true ? 1 : sameFrom(at, characters, kept);
    parts.push(kept[at] === true ? character : spelling(character, run));
  }
  return parts.join("");
}

/** How many of a kind stand here that are all spelled out. */
function sameFrom(start: number, characters: readonly string[], kept: readonly boolean[]): number {
  let stop = start + 1;
  while (kept[stop] === false && characters[stop] === characters[start]) stop += 1;
  return stop - start;
}

function spelling(character: string, times: number): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return times === 1 ? `\\u{${code}}` : `\\u{${code}*${times}}`;
}

/**
 * May this character, outside ASCII, be shown as it is? Only where it is known to look like nothing in ASCII, to be
 * visible, and to leave the order of its neighbours alone. `word`: the letters and marks it stands among; `before`:
 * what stands in front of it.
 */
function looksLikeItself(character: string, word: string, before: string): boolean {
  if (unseen.test(character) || rightToLeft.test(character)) return false;
  if (readsAsAscii(character)) return false;
  if (/^\p{Extended_Pictographic}$/u.test(character)) return true;
  if (/^\p{M}$/u.test(character)) return markedLetter.test(before);
  if (!/^\p{L}$/u.test(character)) return false;
  if (/^\p{Script=Latin}$/u.test(character)) return isPlainLatin(character);
  if (/^[\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(character)) return isForeignWord(word);
  return unmistakable.test(character);
}

/** Nothing to see, or a character that steers the ones around it. */
const unseen =
  /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]$/u;

/** The blocks whose letters run from right to left and take the punctuation beside them along. */
const rightToLeft = /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]$/u;

const scripts =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Thai}\\p{Script=Khmer}\\p{Script=Ethiopic}";
const unmistakable = new RegExp(`^[${scripts}]$`, "u");
/** A letter that takes marks, with one already or none; more of them would grow over the lines around. */
const markedLetter = new RegExp(`(?=\\p{L})[${scripts}]\\p{M}?$`, "u");

/** Full-width forms, ligatures, letters of mathematics: another spelling of something in ASCII. */
function readsAsAscii(character: string): boolean {
  const folded = character.normalize("NFKC");
  return folded !== character && /[\0-\x7f]/.test(folded);
}

const isPlainLatin = (character: string): boolean =>
  /^[A-Za-z]\p{Mn}+$/u.test(character.normalize("NFD")) || "ßæÆøØđĐðÐþÞłŁœŒħĦ".includes(character);

/** Cyrillic and Greek have letters that look Latin: a word is shown only if it cannot be read as an ASCII one. */
const isForeignWord = (word: string): boolean =>
  !/[A-Za-z]/.test(word) &&
  Array.from(word).some((letter) => /^\p{L}$/u.test(letter) && !lookAlikes.has(letter));

const lookAlikes: ReadonlySet<string> = new Set(
  "асеорхуѕіјһԁԛԝӏьгпӀАВЕКМНОРСТХУІЈЅЗЬҮҺԌԚԜνοικρτυαβγηωχεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
);
