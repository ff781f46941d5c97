import { clauseTexts } from "./clauses.ts";
import { smallWords, orderingWords } from "./stop-words.ts";
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
      ordersAlike(clause, theirs),
  );
}

type Clause = {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly words: readonly string[];
  readonly denies: boolean;
};

const clausesOf = (text: string): readonly Clause[] =>
  clauseTexts(text).map((one) => ({
    text: one,
    tokens: tokensOf(one),
    words: contentWords(one),
    denies: isNegative(one),
  }));

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

function ordersAlike({ tokens }: Clause, theirs: readonly Clause[]): boolean {
  return tokens.every((token, at) => {
    const [next] = orderingWords.has(token) ? behindOf(tokens, at) : [];
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
