import { CompiledQuery, type Kysely } from "kysely";
import type { SearchHit, SearchQuery } from "../../core/session.ts";
import type { Database } from "../schema/database.ts";
import { fold, hasWord, wordsOf } from "../search/fold.ts";
import { highlight } from "../search/highlight.ts";
import { type HitRow, hitColumns, hitLimit, hitOf, withoutForkCopies } from "../search/hits.ts";
import { type Clause, type Term, isUnspaced, parseSearch } from "../search/search-text.ts";
import { longestWord, wordGap } from "./functions.ts";

/** Words first; parts of words where words cannot be told apart, or when no word was found. As SQLite does. */
export async function search(db: Kysely<Database>, query: SearchQuery): Promise<readonly SearchHit[]> {
  const clauses = parseSearch(query.text);
  if (clauses.length === 0) return [];
  const hits = isUnspaced(clauses) ? [] : await searchWords(db, clauses, query);
  return hits.length > 0 ? hits : searchParts(db, clauses, query);
}

/** The parameters of a statement, in the order of their numbers. */
type Parameters = unknown[];
const bind = (parameters: Parameters, value: unknown): string => `$${parameters.push(value)}`;

async function searchWords(db: Kysely<Database>, clauses: readonly Clause[], query: SearchQuery) {
  const spoken = clauses
    .map(({ all, none }) => ({ all: all.filter(isSpoken), none: none.filter(isSpoken) }))
    .filter(({ all }) => all.length > 0);
  if (spoken.length === 0) return [];
  const parameters: Parameters = [];
  const wanted = bind(parameters, spoken.map(({ all }) => `(${all.map(words).join(" & ")})`).join(" | "));
  const any = spoken.map(({ all, none }) =>
    [
      ...all.map((term) => hasTerm(term, parameters)),
      ...none.map((term) => `not ${hasTerm(term, parameters)}`),
    ].join(" and "),
  );
  const best = `ts_rank(m.words, ${wanted}::tsquery, 1) desc, m.seq`;
  const where = `m.words @@ ${wanted}::tsquery and (${any.join(" or ")})`;
  const rows = await select(db, query, where, best, parameters);
  const terms = spoken.flatMap(({ all }) => all);
  return rows.map((row) => hitOf(row, highlight(row.content, terms, true)));
}

const isSpoken = ({ text }: Term): boolean => hasWord(text);

/** `'red' & 'gre':*` */
const words = ({ text, prefix }: Term): string =>
  `(${wordsOf(text)
    .map((word) => `'${word.slice(0, longestWord)}'`)
    .join(" & ")}${prefix ? ":*" : ""})`;

/** The index says that a message has all words of a phrase; that they stand together is seen in the text, however long. */
function hasTerm(term: Term, parameters: Parameters): string {
  const found = `m.words @@ ${bind(parameters, words(term))}::tsquery`;
  const phrase = wordsOf(term.text);
  if (phrase.length === 1) return `(${found})`;
  const pattern = `(^|${wordGap})${phrase.join(`${wordGap}+`)}${term.prefix ? "" : `($|${wordGap})`}`;
  return `(${found} and m.folded collate "und-x-icu" ~ ${bind(parameters, pattern)})`;
}

async function searchParts(db: Kysely<Database>, clauses: readonly Clause[], query: SearchQuery) {
  const parameters: Parameters = [];
  const any = clauses.map(({ all, none }) =>
    [
      ...all.map((term) => hasPart(term, parameters)),
      ...none.map((term) => `not ${hasPart(term, parameters)}`),
    ].join(" and "),
  );
  const rows = await select(db, query, `(${any.join(" or ")})`, "m.seq desc", parameters);
  const terms = clauses.flatMap(({ all }) => all);
  return rows.map((row) => hitOf(row, highlight(row.content, terms, false)));
}

/** Of terms under three characters only the case of ASCII letters does not matter: SQLite looks into the texts for them. */
function hasPart({ text }: Term, parameters: Parameters): string {
  const isShort = [...text.replaceAll(/\p{M}/gu, "")].length < 3;
  const part = isShort ? text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : fold(text);
  const like = bind(parameters, `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  return isShort ? `lower(m.content collate "C") like ${like}` : `m.folded like ${like}`;
}

async function select(
  db: Kysely<Database>,
  query: SearchQuery,
  where: string,
  best: string,
  parameters: Parameters,
): Promise<readonly (HitRow & { readonly content: string })[]> {
  const { roles, session, excludeSession } = query;
  const filters: string[] = [];
  if (roles !== undefined) filters.push(`and m.role = any(${bind(parameters, roles)}::text[])`);
  if (session !== undefined) filters.push(`and m.session = ${bind(parameters, session)}`);
  if (session === undefined) filters.push(withoutForkCopies);
  if (excludeSession !== undefined) {
    const other = bind(parameters, excludeSession);
    filters.push(`and m.session <> ${other} and s.parent is distinct from ${other}`);
  }
  const order = { best, newest: "m.seq desc", oldest: "m.seq" }[query.sort ?? "best"];
  const sql = `select ${hitColumns}, m.content from message m join session s on s.id = m.session
    where ${where} ${filters.join(" ")} order by ${order} limit ${hitLimit(query)}`;
  const { rows } = await db.executeQuery<HitRow & { readonly content: string }>(
    CompiledQuery.raw(sql, parameters),
  );
  return rows;
}
