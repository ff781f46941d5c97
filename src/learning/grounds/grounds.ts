import { short } from "../../core/plain-text.ts";
import type { Grounds } from "../index.ts";
import { exactWords, saysExactly } from "./exact-words.ts";
import { statements } from "./statements.ts";
import { contentWords, folded, isNegative, matcher, ownPieces } from "./words.ts";

const mostLines = 5;
const lineChars = 200;

/**
 * Does a text rest on what the person stated? All its words have to be theirs, in whatever order: a single one of
 * somebody else can turn it round. What is exact in it has to be theirs to the letter; and where it denies or affirms, so
 * have they. Nobody's honesty is needed for that.
 */
export function grounds(text: string, persons: readonly string[]): Grounds {
  const words = contentWords(text);
  const stated = statements(persons);
  const said = stated.map(folded).join("\n");
  const isTheirs = matcher(stated.flatMap(contentWords));
  const isPieced = ownPieces(said);
  const exact = exactWords(text);
  const trusted =
    words.length + exact.length > 0 &&
    words.every((word) => isTheirs(word) || isPieced(word)) &&
    exact.every((word) => saysExactly(said, word)) &&
    agrees(text, words, stated);
  return { trusted, evidence: evidenceFor(words, stated) };
}

/** Some part of what they say about it denies where it denies; where it affirms, the part that says most of it does. */
function agrees(text: string, words: readonly string[], persons: readonly string[]): boolean {
  const isAbout = matcher(words);
  const clauses = persons.flatMap((said) =>
    said.split(/[\n.,;:!?。，；：！？、]+|\b(?:but|aber|sondern|instead)\b|\bно\b/iu),
  );
  const shares = clauses.map((clause) => contentWords(clause).filter(isAbout).length);
  const negative = isNegative(text);
  const least = negative ? Math.min(1, words.length) : Math.max(0, ...shares);
  return clauses.some((clause, at) => (shares[at] ?? 0) >= least && isNegative(clause) === negative);
}

/** The lines that have most of the words, in the order in which they were said. */
function evidenceFor(words: readonly string[], persons: readonly string[]): readonly string[] {
  const lines = persons.flatMap((said) => said.split("\n")).filter((line) => line.trim() !== "");
  const rest = new Set(words);
  const chosen = new Set<number>();
  while (rest.size > 0 && chosen.size < mostLines) {
    const [best, found] = bestLine(lines, chosen, rest);
    if (found.length === 0) break;
    chosen.add(best);
    for (const word of found) rest.delete(word);
  }
  return [...chosen].toSorted((a, b) => a - b).map((at) => short(lines[at] ?? "", lineChars));
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
