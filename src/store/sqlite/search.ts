import { CompiledQuery, type Kysely } from "kysely";
import type { SearchHit, SearchQuery } from "../../core/session.ts";
import type { Database } from "../schema/database.ts";
import { hasWord } from "../search/fold.ts";
import { type HitRow, hitColumns, hitLimit, hitOf, withoutForkCopies } from "../search/hits.ts";
import { type Clause, type Term, isUnspaced, parseSearch } from "../search/search-text.ts";
import { mark, snippet, snippetOf } from "../search/snippet.ts";

type Row = HitRow & { readonly found: string };

/** Words first; parts of words where words cannot be told apart, or when no word was found. */
export async function search(db: Kysely<Database>, query: SearchQuery): Promise<readonly SearchHit[]> {
  const clauses = parseSearch(query.text);
  if (clauses.length === 0) return [];
  const hits = isUnspaced(clauses) ? [] : await searchWords(db, clauses, query);
  return hits.length > 0 ? hits : searchParts(db, clauses, query);
}

async function searchWords(db: Kysely<Database>, clauses: readonly Clause[], query: SearchQuery) {
  const spoken = clauses
    .map(({ all, none }) => ({ all: all.filter(isSpoken), none: none.filter(isSpoken) }))
    .filter(({ all }) => all.length > 0);
  return spoken.length === 0 ? [] : searchIndex(db, "message_words", 30, expression(spoken), query);
}

function searchParts(db: Kysely<Database>, clauses: readonly Clause[], query: SearchQuery) {
  const indexed = clauses.every(({ all, none }) => [...all, ...none].every(isIndexed));
  if (!indexed) return scan(db, clauses, query);
  return searchIndex(db, "message_trigrams", 64, expression(withoutPrefixes(clauses)), query);
}

/**
 * The index gives its matches in the wanted order one by one, each is looked up and filtered, and the limit stops it:
 * snippets are made for the hits only, and no match is joined that is not needed. `cross join` keeps it that way.
 */
async function searchIndex(
  db: Kysely<Database>,
  index: "message_words" | "message_trigrams",
  tokens: number,
  match: string,
  query: SearchQuery,
): Promise<readonly SearchHit[]> {
  const order = { best: `${index}.rank`, newest: `${index}.rowid desc`, oldest: `${index}.rowid` };
  const filter = filtersOf(query);
  // The rows of one session lie together: the index need not rank the others.
  const range =
    query.session === undefined
      ? ""
      : `and ${index}.rowid between (select min(seq) from message where session = ?)
           and (select max(seq) from message where session = ?)`;
  const sql = `select ${hitColumns}, snippet(${index}, 0, ?, ?, '…', ${tokens}) as found
    from ${index}
    cross join message m on m.seq = ${index}.rowid
    cross join session s on s.id = m.session
    where ${index} match ? ${range} ${filter.sql}
    order by ${order[query.sort ?? "best"]} limit ${hitLimit(query)}`;
  const bounds = query.session === undefined ? [] : [query.session, query.session];
  const parameters = [mark.open, mark.close, match, ...bounds, ...filter.parameters];
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, parameters));
  return rows.map((row) => hitOf(row, snippet(row.found)));
}

/** Terms too short for an index are looked for in the texts themselves, newest first unless asked otherwise. */
async function scan(
  db: Kysely<Database>,
  clauses: readonly Clause[],
  query: SearchQuery,
): Promise<readonly SearchHit[]> {
  const parameters: string[] = [];
  const has = (term: Term): string => {
    if (isIndexed(term)) {
      parameters.push(quoted(term.text));
      return "m.seq in (select rowid from message_trigrams where message_trigrams match ?)";
    }
    parameters.push(`%${term.text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
    return String.raw`m.content like ? escape '\'`;
  };
  const any = clauses.map(({ all, none }) =>
    [...all.map(has), ...none.map((term) => `not ${has(term)}`)].join(" and "),
  );
  const filter = filtersOf(query);
  const sql = `select ${hitColumns}, m.content as found
    from message m cross join session s on s.id = m.session
    where (${any.join(" or ")}) ${filter.sql}
    order by m.seq ${query.sort === "oldest" ? "" : "desc"} limit ${hitLimit(query)}`;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters, ...filter.parameters]));
  const terms = clauses.flatMap((clause) => clause.all.map((term) => term.text));
  return rows.map((row) => hitOf(row, snippetOf(row.found, terms)));
}

function filtersOf({ roles, session, excludeSession }: SearchQuery) {
  const parts: string[] = [];
  if (roles !== undefined) parts.push(`and m.role in (${roles.map(() => "?").join(", ")})`);
  if (session !== undefined) parts.push("and m.session = ?");
  if (session === undefined) parts.push(withoutForkCopies);
  if (excludeSession !== undefined) parts.push("and m.session <> ? and s.parent is not ?");
  const parameters = [...(roles ?? []), session, excludeSession, excludeSession].filter(
    (value) => value !== undefined,
  );
  return { sql: parts.join(" "), parameters };
}

/** Every term is quoted, so nothing in it can be taken for FTS5's own syntax. */
const expression = (clauses: readonly Clause[]): string =>
  clauses
    .map(({ all, none }) => {
      const wanted = `(${all.map(written).join(" AND ")})`;
      return none.length === 0 ? wanted : `(${wanted} NOT (${none.map(written).join(" OR ")}))`;
    })
    .join(" OR ");

const written = ({ text, prefix }: Term): string => (prefix ? `${quoted(text)} *` : quoted(text));

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const withoutPrefixes = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.map(({ all, none }) => ({ all: all.map(plain), none: none.map(plain) }));

const plain = ({ text }: Term): Term => ({ text, prefix: false });

/** The trigram index drops combining marks and needs three characters. */
const isIndexed = ({ text }: Term): boolean => [...text.replaceAll(/\p{M}/gu, "")].length >= 3;

const isSpoken = ({ text }: Term): boolean => hasWord(text);
