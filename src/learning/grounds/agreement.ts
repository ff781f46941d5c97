import { smallWords, turningWords } from "./stop-words.ts";
import { contentWords, folded, isNegation, isNegative, matcher, ownPieces, tokensOf } from "./words.ts";

/**
 * Does every part of a text deny where the person denies and affirm where they affirm, with the same things behind words like
 * `over` and `before`? The same words can say the opposite.
 */
export function agrees(text: string, stated: readonly string[]): boolean {
  const theirs = stated.flatMap(clausesOf);
  return clausesOf(text).every(
    (clause) =>
      (clause.denies ? deniesAlike(clause, theirs) : affirmsAlike(clause, theirs)) &&
      turnsAlike(clause, theirs),
  );
}

type Clause = {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly words: readonly string[];
  readonly denies: boolean;
};

const clausesOf = (text: string): readonly Clause[] =>
  text
    .split(between)
    .filter((one) => one.trim() !== "")
    .map((one) => ({ text: one, tokens: tokensOf(one), words: contentWords(one), denies: isNegative(one) }));

/** Where a word begins or ends, in any script. */
const border = "(?:(?<=[\\p{L}\\p{N}_])(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])(?=[\\p{L}\\p{N}_]))";

/** `tabs not spaces` and `tabs instead of spaces` affirm the one and deny the other; `do not` denies all that follows. */
const between = new RegExp(
  [
    "[\\n.,;:!?。，；：！？、]+",
    "\\b(?:but|aber|sondern|instead(?! of))\\b|(?<!\\p{L})но(?!\\p{L})",
    "(?=\\b(?:instead of|anstatt|statt)\\b)|(?<!\\p{L})(?=вместо)",
    "(?<!\\b(?:do|does|did|is|are|am|was|were|be|has|have|had|will|would|can|could|should|shall|must|may|might|'m|'s|'re)\\s)(?=\\bnot\\s)",
  ]
    .join("|")
    .replaceAll("\\b", border),
  "iu",
);

/** One clause of theirs denies all that this one does. */
function deniesAlike(clause: Clause, theirs: readonly Clause[]): boolean {
  const denied = deniedWords(clause);
  return theirs.some(({ denies, words, text }) => {
    if (!denies) return false;
    const [isSaid, isPieced] = [matcher(words), ownPieces(folded(text))];
    return denied.every((word) => isSaid(word) || isPieced(word));
  });
}

/** What stands behind the word that denies; all of it where nothing does. */
function deniedWords({ tokens, words }: Clause): readonly string[] {
  const behind = contentWords(tokens.slice(tokens.findIndex(isNegation) + 1).join(" "));
  return behind.length > 0 ? behind : words;
}

/** The clauses of theirs that say most of it do not all deny it. */
function affirmsAlike({ words }: Clause, theirs: readonly Clause[]): boolean {
  const isAbout = matcher(words);
  const shares = theirs.map((other) => other.words.filter(isAbout).length);
  const most = shares.reduce((one, other) => Math.max(one, other), 0);
  return most === 0 || theirs.some(({ denies }, at) => shares[at] === most && !denies);
}

function turnsAlike({ tokens }: Clause, theirs: readonly Clause[]): boolean {
  return tokens.every((token, at) => {
    const [next] = turningWords.has(token) ? behindOf(tokens, at) : [];
    if (next === undefined) return true;
    return theirs.some((other) =>
      other.tokens.some((word, place) => word === token && matcher(behindOf(other.tokens, place))(next)),
    );
  });
}

/** An adjective may come first. */
const behindOf = (tokens: readonly string[], at: number): readonly string[] =>
  tokens
    .slice(at + 1)
    .filter((word) => !smallWords.has(word))
    .slice(0, 2);
