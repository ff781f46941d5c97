import { cutEnd } from "../cut-middle.ts";

export type PatchEdit = { readonly old: string; readonly new: string; readonly all?: boolean | undefined };

export type EditResult = { readonly text: string } | { readonly refused: string };

/**
 * Applies all edits in order, each to what the one before left, or none. Line ends are not compared and stay as the file
 * has them: who read the file by lines did not see them.
 */
export function applyEdits(text: string, edits: readonly PatchEdit[], shown: string): EditResult {
  let result = text;
  for (const [at, edit] of edits.entries()) {
    const where = edits.length === 1 ? "old" : `old of edit ${at + 1}`;
    const next = replaced(result, edit);
    if (typeof next === "string") {
      result = next;
      continue;
    }
    const earlier = at === 0 ? "" : " The edits before it would have fitted, but none was made.";
    return { refused: `${next.why(where, shown)}${earlier}` };
  }
  return { text: result };
}

type Misfit = { readonly why: (where: string, shown: string) => string };

function replaced(text: string, edit: PatchEdit): string | Misfit {
  const plain = plainEnds(text);
  const old = edit.old.replaceAll("\r\n", "\n");
  const fresh = edit.new.replaceAll("\r\n", "\n");
  if (old === fresh) return { why: (where) => `${where} and new are the same, so nothing would change.` };
  const places = occurrences(plain.text, old);
  const [first, second] = places;
  if (first === undefined) return { why: (where, shown) => notFound(where, shown, plain.text, edit.old) };
  if (second !== undefined && edit.all !== true) {
    return { why: (where, shown) => ambiguous(where, shown, plain.text, places) };
  }
  let result = "";
  let taken = 0;
  for (const place of apart(places, old.length)) {
    const [from, to] = [plain.original(place), plain.original(place + old.length)];
    result += text.slice(taken, from) + withEnds(fresh, lineEnd(text.slice(from, to)) ?? lineEnd(text));
    taken = to;
  }
  return result + text.slice(taken);
}

/** The text with LF alone, and where a place in it stands in the original. */
function plainEnds(text: string): { readonly text: string; original(place: number): number } {
  const plain = text.replaceAll("\r\n", "\n");
  if (plain.length === text.length) return { text, original: (place) => place };
  /** Of each line end that lost its CR, the place in the plain text. */
  const shortened = [...text.matchAll(/\r\n/g)].map(({ index }, at) => index - at);
  return { text: plain, original: (place) => place + countBelow(shortened, place) };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    if ((sorted[middle] ?? limit) >= limit) high = middle;
  }
  return low;
}

/** Also those that overlap: each of them could be meant. */
function occurrences(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function apart(places: readonly number[], length: number): readonly number[] {
  let end = 0;
  return places.filter((place) => {
    if (place < end) return false;
    end = place + length;
    return true;
  });
}

const lineEnd = (text: string): string | undefined => /\r?\n/.exec(text)?.[0];

const withEnds = (text: string, end = "\n"): string => (end === "\n" ? text : text.replaceAll("\n", end));

const mostNamed = 8;

function ambiguous(where: string, shown: string, text: string, places: readonly number[]): string {
  const named = places.slice(0, mostNamed).map((place) => text.slice(0, place).split("\n").length);
  const more = places.length > mostNamed ? ` and ${places.length - mostNamed} more` : "";
  return `${where} occurs ${places.length} times in ${shown}, at lines ${named.join(", ")}${more}. Give more of the lines around it, or set all to replace every one.`;
}

function notFound(where: string, shown: string, text: string, old: string): string {
  const numbered = /^\d+\t/.test(old)
    ? " The numbers that read_file puts before lines are not in the file."
    : "";
  const near = nearestLines(text, old);
  const hint = near === undefined ? "" : `\n${near}`;
  return `${where} does not occur in ${shown}. It has to be exactly as in the file, white space included.${numbered}${hint}`;
}

const mostLines = 20_000;
const mostShown = 12;
const maxLineChars = 300;

/** The lines that are most like those that were looked for, numbered, or undefined when none is like them. */
function nearestLines(text: string, wanted: string): string | undefined {
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
