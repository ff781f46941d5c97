import { short } from "../../core/plain-text.ts";
import type { Provenance } from "../index.ts";
import { agrees } from "./agreement.ts";
import { exactWords, saysExactly } from "./exact-words.ts";
import { sentencesOf, statements } from "./statements.ts";
import { takesWhole } from "./whole-clauses.ts";
import { contentWords, folded, matcher, ownPieces } from "./words.ts";

const mostLines = 5;
const lineChars = 200;

/**
 * Does a text rest on what the person stated? All words of each of its sentences have to come from at most two sentences
 * of theirs: one foreign word can reverse the meaning, and from all the words of a long conversation anything can be put
 * together. Exact words have to be theirs to the letter. No model has to be trusted for this.
 */
export function provenance(text: string, ownMessages: readonly string[]): Provenance {
  const words = contentWords(text);
  const stated = statements(ownMessages);
  const said = folded(stated.join("\n"));
  const exact = exactWords(text);
  const trusted =
    words.length + exact.length > 0 &&
    restsOn(text, stated) &&
    exact.every((word) => saysExactly(said, word)) &&
    agrees(text, stated);
  return { trusted, evidence: evidenceFor(words, stated) };
}

/** Do, for each sentence of the text, two of theirs contain all of its words, and does it use their clauses whole? */
function restsOn(text: string, stated: readonly string[]): boolean {
  const theirs = stated.map((said) => {
    const [isSaid, isPieced] = [matcher(contentWords(said)), ownPieces(folded(said))];
    return { said, has: (word: string): boolean => isSaid(word) || isPieced(word) };
  });
  return sentencesOf(text).every((sentence) => {
    const words = contentWords(sentence);
    const some = theirs
      .map(({ said, has }) => ({ said, missing: words.filter((word) => !has(word)) }))
      .filter(({ missing }) => missing.length < words.length);
    const isTold = some.some((one) =>
      some.some(
        (other) =>
          !one.missing.some((word) => other.missing.includes(word)) &&
          takesWhole(sentence, text, one.missing.length === 0 ? [one.said] : [one.said, other.said]),
      ),
    );
    return words.length === 0 || isTold;
  });
}

/** The lines that have most of the words, in the order in which they were said. */
function evidenceFor(words: readonly string[], stated: readonly string[]): readonly string[] {
  const rest = new Set(words);
  const chosen = new Set<number>();
  while (rest.size > 0 && chosen.size < mostLines) {
    const [best, found] = bestLine(stated, chosen, rest);
    if (found.length === 0) break;
    chosen.add(best);
    for (const word of found) rest.delete(word);
  }
  return [...chosen].toSorted((a, b) => a - b).map((at) => short(stated[at] ?? "", lineChars));
}

function bestLine(
  lines: readonly string[],
  chosen: ReadonlySet<number>,
  words: ReadonlySet<string>,
): readonly [at: number, words: readonly string[]] {
  let best: readonly [number, readonly string[]] = [-1, []];
  for (const [at, line] of lines.entries()) {
    if (chosen.has(at)) continue;
    const has = matcher(contentWords(line));
    const found = [...words].filter(has);
    if (found.length > best[1].length) best = [at, found];
  }
  return best;
}
