import { fold, wordsOf } from "./fold.ts";
import type { Term } from "./search-text.ts";
import { mark, snippet } from "./snippet.ts";

const letter = String.raw`[\p{L}\p{N}\p{Co}]`;
const gap = String.raw`[^\p{L}\p{N}\p{Co}]+`;
const before = 60;
const longest = 400;

/** One line around the first found place. `words`: whole words are marked, else any place. */
export function highlight(content: string, terms: readonly Term[], words: boolean): string {
  const { text, from } = folded(content);
  const pattern = terms.flatMap((term) => (words ? wordPattern(term) : partPattern(term))).join("|");
  const found = pattern === "" ? [] : [...text.matchAll(new RegExp(pattern, "gu"))];
  const places = found.map(({ index, 0: hit }) => [from[index] ?? 0, from[index + hit.length] ?? 0] as const);
  const start = Math.max(0, (places[0]?.[0] ?? 0) - before);
  const end = Math.min(content.length, start + before + longest);
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

function wordPattern({ text, prefix }: Term): readonly string[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  return [`(?<!${letter})${words.join(gap)}${prefix ? `${letter}*` : `(?!${letter})`}`];
}

const partPattern = ({ text }: Term): readonly string[] => {
  const part = fold(text);
  return part === "" ? [] : [part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)];
};

/** The folded text, and for each of its units where it came from. */
function folded(content: string): { readonly text: string; readonly from: readonly number[] } {
  const from: number[] = [];
  let text = "";
  let at = 0;
  for (const character of content) {
    const plain = fold(character);
    for (let unit = 0; unit < plain.length; unit++) from.push(at);
    text += plain;
    at += character.length;
  }
  from.push(at);
  return { text, from };
}
