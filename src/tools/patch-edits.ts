import { nearestLines } from "./nearest-lines.ts";

export type PatchEdit = { readonly old: string; readonly new: string; readonly all?: boolean | undefined };

export type Patched = { readonly text: string } | { readonly refused: string };

/**
 * Applies all edits in order, each to what the one before left, or none. Line ends are not compared and stay as the file
 * has them: who read the file by lines did not see them.
 */
export function patched(text: string, edits: readonly PatchEdit[], shown: string): Patched {
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
