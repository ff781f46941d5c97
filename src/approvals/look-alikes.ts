/**
 * May this character, outside ASCII, be shown as it is? Only where it is known to look like nothing in ASCII, to be
 * visible, and to leave the order of its neighbours alone. `word`: the letters and marks it stands among; `before`:
 * what stands in front of it.
 */
export function looksLikeItself(character: string, word: string, before: string): boolean {
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
export const unseen =
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
  !/[A-Za-z]/.test(word) && Array.from(word).some((letter) => /^\p{L}$/u.test(letter) && !twins.has(letter));

const twins: ReadonlySet<string> = new Set(
  "асеорхуѕіјһԁԛԝӏьгпӀАВЕКМНОРСТХУІЈЅЗЬҮҺԌԚԜνοικρτυαβγηωχεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
);
