import { storable } from "../storable.ts";

/** One thing to find: a word, a phrase, or with `prefix` the beginning of a word. */
export type Term = { readonly text: string; readonly prefix: boolean };

/** Finds a message that has all of `all` and none of `none`. `all` is never empty. */
export type Clause = { readonly all: readonly Term[]; readonly none: readonly Term[] };

/** Nobody types more; what somebody pastes is found by its beginning. */
const mostTerms = 32;
const longestTerm = 200;

/**
 * Reads what a person typed; every string means something, if only nothing. "quoted words" stay together, `word*` is a
 * beginning, OR (in capitals) separates alternatives, NOT excludes the next term, AND is understood anyway.
 */
export function parseSearch(typed: string): readonly Clause[] {
  const clauses: { all: Term[]; none: Term[] }[] = [];
  let clause: { all: Term[]; none: Term[] } = { all: [], none: [] };
  let not = false;
  let count = 0;
  for (const [token, phrase] of storable(typed)
    .replaceAll(/[“”„]/gu, '"')
    .matchAll(/"([^"]*)"\*?|[^\s"]+/gu)) {
    if (token === "AND") continue;
    if (token === "NOT") {
      not = true;
      continue;
    }
    if (token === "OR") {
      clauses.push(clause);
      clause = { all: [], none: [] };
      not = false;
      continue;
    }
    const term = termOf(phrase ?? token, token.endsWith("*"));
    if (term === undefined) continue;
    (not ? clause.none : clause.all).push(term);
    not = false;
    count += 1;
    if (count === mostTerms) break;
  }
  return [...clauses, clause].filter(({ all }) => all.length > 0);
}

function termOf(written: string, starred: boolean): Term | undefined {
  const text = written.replace(/\*+$/u, "").trim();
  if (text === "") return undefined;
  if (text.length <= longestTerm) return { text, prefix: starred };
  return { text: text.slice(0, longestTerm).replace(/[\uD800-\uDBFF]$/, ""), prefix: true };
}

/** Scripts that are written without spaces, or glue endings to words: their words are found inside longer ones. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export const isUnspaced = (clauses: readonly Clause[]): boolean =>
  clauses.some(({ all, none }) => [...all, ...none].some((term) => unspaced.test(term.text)));
