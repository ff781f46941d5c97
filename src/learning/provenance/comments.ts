import { negationsIn } from "./denials.ts";
import { negationMarks } from "./stop-words.ts";
import { harmless, isReversal, reversalsIn } from "./reversals.ts";
import { contentWords, folded } from "./words.ts";

/** Does a clause say how another one is meant? Then it reverses something, or says nothing but a negation. */
export function isComment(text: string, isFirst: boolean): boolean {
  if (isFirst && answer.test(text)) return false;
  return reversalsIn(text).length > 0 || points.test(text) || isNothingElse(text);
}

/** A sentence that is only about the one before it: `Never!`, `Just kidding.`, `That would be wrong.` */
export function isAfterthought(sentence: string): boolean {
  const text = folded(sentence).replaceAll(/[.!…。！\s"'”»)]+$/gu, "");
  return !answer.test(text) && (isNothingElse(text) || (points.test(text) && turns(text)));
}

/** Nothing is said but that something is not so, or not to be done. */
const isNothingElse = (text: string): boolean =>
  turns(text) &&
  contentWords(text.replaceAll(new RegExp(negationMarks, "gu"), " ")).every(
    (word) => harmless.has(word) || isReversal(word),
  );

const turns = (text: string): boolean => negationsIn(text).length > 0 || reversalsIn(text).length > 0;

/** `No, I use tabs` denies what somebody else has said. */
const answer = /^\s*(?:no|nope|nein|nee|non|нет|不|不是)\s*,?\s*$/u;

const points =
  /^\s*(?:and |und |et |y |и )?(?:that(?:'s| is| was| would)|das (?:ist|war|wäre)|ça|c'est|ce serait|eso|это|这|那)(?!\p{L})/u;
