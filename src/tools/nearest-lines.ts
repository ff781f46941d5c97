import { cutEnd } from "./cut-middle.ts";

const mostLines = 20_000;
const mostShown = 12;
const maxLineChars = 300;

/** The lines that are most like those that were looked for, numbered, or undefined when none is like them. */
export function nearestLines(text: string, wanted: string): string | undefined {
  const lines = text.split("\n").slice(0, mostLines);
  const sought = wanted.split(/\r?\n/);
  const anchor = sought.findIndex((line) => line.trim() !== "");
  const start = mostLike(lines, sought[anchor], sought);
  if (start === undefined) return undefined;
  const from = Math.max(0, start - anchor);
  const shown = lines.slice(from, from + Math.min(sought.length, mostShown));
  const spaces = squeezed(shown.join("\n")) === squeezed(sought.join("\n"));
  return [
    spaces ? "The nearest lines differ in white space only:" : "The nearest lines are:",
    ...shown.map((line, at) => `${from + at + 1}\t${cutEnd(line, maxLineChars)}`),
  ].join("\n");
}

/** The line that is most like the first one that was sought; of equal ones, where more of the next lines are the same. */
function mostLike(
  lines: readonly string[],
  first: string | undefined,
  sought: readonly string[],
): number | undefined {
  if (first === undefined) return undefined;
  const pairs = pairsOf(first);
  const others = new Set(sought.map(squeezed));
  let best: { at: number; score: number } | undefined;
  for (const [at, line] of lines.entries()) {
    const alike = likeness(pairs, pairsOf(line));
    if (alike < leastLikeness) continue;
    const around = lines.slice(at, at + sought.length).filter((one) => others.has(squeezed(one))).length;
    const score = alike + around / sought.length;
    if (best === undefined || score > best.score) best = { at, score };
  }
  return best?.at;
}

const leastLikeness = 0.5;

/** Neighbouring letters, which survive a changed word and another indentation. */
function pairsOf(line: string): ReadonlySet<string> {
  const text = squeezed(cutEnd(line, maxLineChars)).toLowerCase();
  return new Set(Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

const squeezed = (text: string): string => text.replaceAll(/\s+/g, "");
