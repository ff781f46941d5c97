import { fold, wordsOf } from "./fold.ts";
import type { Term } from "./search-text.ts";
import { mark, snippet } from "./snippet.ts";

const letter = String.raw`[\p{L}\p{N}\p{Co}]`;
const gap = String.raw`[^\p{L}\p{N}\p{Co}]+`;
const before = 60;
const longest = 400;

/** How much of a text is folded at once. What is found may reach as far into the next part as it is shown. */
const partSize = 64 * 1024;
const reach = before + longest;

/** One line around the first found place. `words`: whole words are marked, else any place. */
export function highlight(content: string, terms: readonly Term[], words: boolean): string {
  const pattern = terms.flatMap((term) => (words ? wordPattern(term) : partPattern(term))).join("|");
  const places = pattern === "" ? [] : firstPlaces(content, new RegExp(pattern, "gu"));
  const start = Math.max(0, (places[0]?.[0] ?? 0) - before);
  const end = Math.min(content.length, start + reach);
  let line = start > 0 ? "…" : "";
  let at = start;
  for (const [open, close] of places) {
    if (open < at || open >= end) continue;
    const stop = Math.min(close, end);
    line += `${content.slice(at, open)}${mark.open}${content.slice(open, stop)}${mark.close}`;
    at = stop;
  }
  return snippet(`${line}${content.slice(at, end)}${end < content.length ? "…" : ""}`);
}

type Place = readonly [from: number, to: number];

/** From the first one on, as far as it is shown. A message can be as long as a book, and mostly its beginning is enough. */
function firstPlaces(content: string, pattern: RegExp): readonly Place[] {
  for (let at = 0; at < content.length; at += partSize) {
    // With what is before it, which says whether a word begins here.
    const begin = Math.max(0, at - before);
    const end = at + partSize + reach;
    // Where it came from takes far longer to say than whether it is there.
    if (fold(content.slice(begin, end)).search(pattern) < 0) continue;
    const first = placesIn(content, begin, end, pattern).find(([from]) => from >= at)?.[0];
    if (first === undefined) continue;
    return placesIn(content, begin, first + 2 * reach, pattern).filter(([from]) => from >= first);
  }
  return [];
}

function placesIn(content: string, begin: number, end: number, pattern: RegExp): readonly Place[] {
  const { text, from } = folded(content.slice(begin, end));
  const place = (unit: number): number => begin + (from?.[unit] ?? unit);
  return [...text.matchAll(pattern)].map(({ index, 0: hit }) => [place(index), place(index + hit.length)]);
}

function wordPattern({ text, prefix }: Term): readonly string[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  return [`(?<!${letter})${words.join(gap)}${prefix ? `${letter}*` : `(?!${letter})`}`];
}

const partPattern = ({ text }: Term): readonly string[] => {
  const part = fold(text);
  return part === "" ? [] : [part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)];
};

/** The folded text, and for each of its units where it came from; left out where each is in its own place. */
function folded(content: string): { readonly text: string; readonly from?: readonly number[] } {
  if (isAscii.test(content)) return { text: content.toLowerCase() };
  const from: number[] = [];
  const known = new Map<string, string>();
  let text = "";
  let at = 0;
  for (const character of content) {
    const plain = known.get(character) ?? fold(character);
    known.set(character, plain);
    for (let unit = 0; unit < plain.length; unit++) from.push(at);
    text += plain;
    at += character.length;
  }
  from.push(at);
  return { text, from };
}

// eslint-disable-next-line no-control-regex
const isAscii = /^[\u0000-\u007f]*$/;
