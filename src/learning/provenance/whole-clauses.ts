import { clauseTexts } from "./clauses.ts";
import { isComment } from "./comments.ts";
import { negationsIn } from "./denials.ts";
import { harmless, isReversal, reversalsIn } from "./reversals.ts";
import { contentSequence, contentWords, folded, matcher, ownPieces } from "./words.ts";

/**
 * Does one sentence of a note use the clauses of these sentences of the person whole? No word that reverses a clause may be
 * left out or added, and none of theirs may be missing before the first or after the last one that is used: what governs
 * a clause stands there.
 */
export function takesWhole(sentence: string, note: string, theirs: readonly string[]): boolean {
  const isTaken = saidIn(sentence);
  const isNoted = saidIn(note);
  const used = [...new Set(theirs)].flatMap((one) => boundClauses(one, isTaken));
  const [denied, deniedInNote] = [used.flatMap(({ text }) => negationsIn(text)), negationsIn(note)];
  const mine = negationsIn(sentence);
  return (
    used.every((clause) => isWhole(clause, isNoted, folded(note))) &&
    mine.length <= denied.length &&
    denied.length <= deniedInNote.length &&
    mine.every((one) => denied.some((other) => isAlike(one, other))) &&
    denied.every((one) => deniedInNote.some((other) => isAlike(one, other)))
  );
}

type Test = (word: string) => boolean;

/** Is a word one of this text, in any form? */
function saidIn(text: string): Test {
  const [isSaid, isPieced] = [matcher(contentWords(text)), ownPieces(folded(text))];
  return (word) => isSaid(word) || isPieced(word);
}

const isAlike = (one: readonly string[], other: readonly string[]): boolean =>
  one.some(matcher(other)) || (one.length === 0 && other.length === 0);

type Used = { readonly text: string; readonly isBound: boolean };

/** The clauses that something is taken from, and those that say how these are meant. */
function boundClauses(sentence: string, isTaken: Test): readonly Used[] {
  const text = folded(sentence);
  const [before = ""] = /^[^]*[:：](?=\s)|^[^]*：/u.exec(text) ?? [];
  const heads = clauseTexts(before);
  const texts = [...heads, ...clauseTexts(text.slice(before.length))];
  const taken = texts.map((one) => contentWords(one).some(isTaken));
  if (!taken.includes(true)) return [];
  return texts.flatMap((one, at): readonly Used[] => {
    if (taken[at] === true) return [{ text: one, isBound: false }];
    const introduces = at < heads.length && taken.includes(true, heads.length);
    const governs = taken[at + 1] === true && subordinate.test(texts[at + 1] ?? "");
    return introduces || governs || isComment(one, at === 0) ? [{ text: one, isBound: true }] : [];
  });
}

/** `to skip the tests`, `dass …`, `die Tests zu überspringen`: what they depend on stands before them. */
const subordinate =
  /^\s*(?:to|that|if|dass|daß|ob|de|d'|que|qu'|что|чтобы)(?![\p{L}])|(?<!\p{L})zu \p{L}+\s*$|\p{L}zu\p{L}+en\s*$/u;

function isWhole({ text, isBound }: Used, isNoted: Test, note: string): boolean {
  const words = contentSequence(text).filter((word) => !isSmall(word));
  const noted = words.map((word) => isNoted(word));
  const [first, last] = [noted.indexOf(true), noted.lastIndexOf(true)];
  const isLeft = (at: number): boolean => noted[at] === false && (isBound || at < first || at > last);
  return (
    !words.some((word, at) => isLeft(at) && !harmless.has(word)) &&
    reversalsIn(text).every((word) => note.includes(word) || (isReversal(word) && isNoted(word)))
  );
}

/** Endings by themselves. */
const isSmall = (word: string): boolean => /^\p{Script=Hiragana}+$/u.test(word);
