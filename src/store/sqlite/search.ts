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
  return spoken.length === 0 ? [] : searchIndex(db, "message_words", expression(spoken), query);
}

function searchParts(db: Kysely<Database>, clauses: readonly Clause[], query: SearchQuery) {
  const indexed = clauses.every(({ all, none }) => [...all, ...none].every(isIndexed));
  if (!indexed) return scan(db, clauses, query);
  return searchIndex(db, "message_trigrams", expression(withoutPrefixes(clauses)), query);
}

async function searchIndex(
  db: Kysely<Database>,
  index: Index,
  match: string,
  query: SearchQuery,
): Promise<readonly SearchHit[]> {
  const bounds = query.session === undefined ? [] : [query.session, query.session];
  const parameters = [match, ...bounds, ...filterValues(query)];
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statementOf(index, query), parameters));
  return rows.map((row) => hitOf(row, snippet(row.found)));
}

type Index = "message_words" | "message_trigrams";

const shownTokens = { message_words: 30, message_trigrams: 64 } as const;

/** By everything that their text depends on: to write it and to look for it takes as long as the smallest searches. */
const statements = new Map<string, string>();
const mostStatements = 50;

function statementOf(index: Index, query: SearchQuery): string {
  const { sort, roles, session, excludeSession } = query;
  const isSet = `${session === undefined} ${excludeSession === undefined}`;
  const key = `${index} ${sort} ${roles?.length} ${isSet} ${hitLimit(query)}`;
  const known = statements.get(key);
  if (known !== undefined) return known;
  if (statements.size >= mostStatements) statements.clear();
  const made = indexStatement(index, query);
  statements.set(key, made);
  return made;
}

/**
 * The index gives its matches in the wanted order one by one, each is looked up and filtered, and the limit stops it:
 * snippets are made for the hits only, and no match is joined that is not needed. `cross join` keeps it that way.
 */
function indexStatement(index: Index, query: SearchQuery): string {
  const order = { best: `${index}.rank`, newest: `${index}.rowid desc`, oldest: `${index}.rowid` };
  // The rows of one session lie together: the index need not rank the others.
  const range =
    query.session === undefined
      ? ""
      : `and ${index}.rowid between (select min(seq) from message where session = ?)
           and (select max(seq) from message where session = ?)`;
  return `select ${hitColumns},
      snippet(${index}, 0, '${mark.open}', '${mark.close}', '…', ${shownTokens[index]}) as found
    from ${index}
    cross join message m on m.seq = ${index}.rowid
    cross join session s on s.id = m.session
    where ${index} match ? ${range} ${filtersOf(query)}
    order by ${order[query.sort ?? "best"]} limit ${hitLimit(query)}`;
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
  const sql = `select ${hitColumns}, m.content as found
    from message m cross join session s on s.id = m.session
    where (${any.join(" or ")}) ${filtersOf(query)}
    order by m.seq ${query.sort === "oldest" ? "" : "desc"} limit ${hitLimit(query)}`;
  const { rows } = await db.executeQuery<Row>(
    CompiledQuery.raw(sql, [...parameters, ...filterValues(query)]),
  );
  const terms = clauses.flatMap((clause) => clause.all.map((term) => term.text));
  return rows.map((row) => hitOf(row, snippetOf(row.found, terms)));
}

function filtersOf({ roles, session, excludeSession }: SearchQuery): string {
  const parts: string[] = [];
  if (roles !== undefined) parts.push(`and m.role in (${roles.map(() => "?").join(", ")})`);
  if (session !== undefined) parts.push("and m.session = ?");
  if (session === undefined) parts.push(withoutForkCopies);
  if (excludeSession !== undefined) parts.push("and m.session <> ? and s.parent is not ?");
  return parts.join(" ");
}

const filterValues = ({ roles, session, excludeSession }: SearchQuery): readonly string[] =>
  [...(roles ?? []), session, excludeSession, excludeSession].filter((value) => value !== undefined);

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
