import { clauseTexts } from "./clauses.ts";
import { negationMarks } from "./stop-words.ts";
import { contentWords, folded, isNegation, tokensOf } from "./words.ts";

/** What each word that denies is about: the words behind it within its clause, or those before it if it comes last. */
export const negationsIn = (text: string): readonly (readonly string[])[] =>
  clauseTexts(folded(text)).flatMap((clause) =>
    wordSpans(clause).map(({ start, end }) => {
      const behind = contentWords(clause.slice(end)).slice(0, 2);
      return behind.length > 0 ? behind : contentWords(clause.slice(0, start)).slice(-2);
    }),
  );

type WordSpan = { readonly start: number; readonly end: number };

function wordSpans(clause: string): readonly WordSpan[] {
  const words: WordSpan[] = [];
  let end = 0;
  for (const token of tokensOf(clause)) {
    const start = clause.indexOf(token, end);
    end = start + token.length;
    if (isNegation(token)) words.push({ start, end });
  }
  const marks = [...clause.matchAll(new RegExp(negationMarks, "gu"))].map(({ 0: mark, index }) => ({
    start: index,
    end: index + mark.length,
  }));
  const all = [...words, ...marks];
  // `je ne bois que du thé`: half of a denial stands for the whole where the other half is none of ours.
  const half = /(?<!\p{L})(?:ne (?=\p{L})|n'(?=\p{L}))/u.exec(clause);
  return all.length === 0 && half !== null ? [{ start: half.index, end: half.index + half[0].length }] : all;
}
