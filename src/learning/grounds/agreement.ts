import { smallWords, turningWords } from "./stop-words.ts";
import { contentWords, folded, isNegation, isNegative, matcher, ownPieces, tokensOf } from "./words.ts";

/**
 * Does every part of a text deny where the person denies and affirm where they affirm, with the same things on either side of
 * words like `over` and `before`? The same words can say the opposite.
 */
export function agrees(text: string, stated: readonly string[]): boolean {
  const theirs = stated.flatMap(clausesOf);
  return clausesOf(text).every(
    (clause) =>
      (isNegative(clause) ? deniesAlike(clause, theirs) : affirmsAlike(clause, theirs)) &&
      turnsAlike(clause, theirs),
  );
}

const clausesOf = (text: string): readonly string[] =>
  text
    .split(/[\n.,;:!?。，；：！？、]+|\b(?:but|aber|sondern|instead)\b|\bно\b/iu)
    .filter((one) => one.trim() !== "");

/** One clause of theirs denies all that this one does. */
function deniesAlike(clause: string, theirs: readonly string[]): boolean {
  const words = deniedWords(clause);
  return theirs.some((other) => {
    if (!isNegative(other)) return false;
    const [isSaid, isPieced] = [matcher(contentWords(other)), ownPieces(folded(other))];
    return words.every((word) => isSaid(word) || isPieced(word));
  });
}

/** What stands behind the word that denies; all of it where nothing does. */
function deniedWords(clause: string): readonly string[] {
  const tokens = tokensOf(clause);
  const behind = contentWords(tokens.slice(tokens.findIndex(isNegation) + 1).join(" "));
  return behind.length > 0 ? behind : contentWords(clause);
}

/** The clauses of theirs that say most of it do not all deny it. */
function affirmsAlike(clause: string, theirs: readonly string[]): boolean {
  const isAbout = matcher(contentWords(clause));
  const shares = theirs.map((other) => contentWords(other).filter(isAbout).length);
  const most = Math.max(0, ...shares);
  return most === 0 || theirs.some((other, at) => shares[at] === most && !isNegative(other));
}

function turnsAlike(clause: string, theirs: readonly string[]): boolean {
  const tokens = tokensOf(clause);
  return tokens.every((token, at) => {
    const [next] = turningWords.has(token) ? behindOf(tokens, at) : [];
    if (next === undefined) return true;
    return theirs.some((other) => {
      const said = tokensOf(other);
      return said.some((word, place) => word === token && matcher(behindOf(said, place))(next));
    });
  });
}

/** An adjective may come first. */
const behindOf = (tokens: readonly string[], at: number): readonly string[] =>
  tokens
    .slice(at + 1)
    .filter((word) => !smallWords.has(word))
    .slice(0, 2);
