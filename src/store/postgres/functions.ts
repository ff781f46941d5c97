import { looseAccentRanges } from "../search/fold.ts";

/** A lexeme of PostgreSQL's may have two kilobytes. */
export const longestWord = 500;

/** What is no letter and no digit. ICU's idea of them leaves out Roman numerals, fractions, circled ones and private characters. */
const otherDigits = String.raw`\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3007\u3021-\u3029\u3038-\u303a\u3220-\u3229\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\ue000-\uf8ff`;
export const wordGap = `[^[:alnum:]${otherDigits}]`;

/** What statements of the store use and SQLite brings along, and what search needs. Part of the first step: never changed. */
export const functions: readonly string[] = [
  `CREATE FUNCTION json_valid(t text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    PERFORM t::json;
    RETURN true;
  EXCEPTION WHEN OTHERS THEN
    RETURN false;
  END $$`,
  // Only for '$.key'. Escapes of what is no character are valid JSON, but no text of PostgreSQL's.
  String.raw`CREATE FUNCTION json_extract(body text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(body, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi')::json ->> substr(path, 3) $$`,
  // Of machines whose clocks differ, none must take another's lease too early: the database's clock decides.
  `CREATE FUNCTION lease_time(at bigint) RETURNS bigint LANGUAGE sql AS $$
    SELECT CASE WHEN current_setting('talaria.lease_time', true) = 'given' THEN at
      ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint END $$`,
  `CREATE FUNCTION unixepoch(modifier text) RETURNS numeric LANGUAGE sql AS $$ SELECT extract(epoch FROM clock_timestamp()) $$`,
  `CREATE FUNCTION randomblob(bytes integer) RETURNS bytea LANGUAGE sql AS $$
    SELECT substr(uuid_send(gen_random_uuid()), 1, bytes) $$`,
  `CREATE FUNCTION hex(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT upper(encode(bytes, 'hex')) $$`,

  // The same as src/store/search/fold.ts.
  String.raw`CREATE FUNCTION search_fold(t text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN t ~ '[^\u0001-\u007f]' THEN (
      translate(normalize(regexp_replace(normalize(
        lower(regexp_replace(t, '[${looseAccentRanges()}]', '', 'g') COLLATE "und-x-icu"),
      NFD), '([a-z])[\u0300-\u036f]+', '\1', 'g'), NFC), 'ςſµ', 'σsμ') COLLATE "C")
    ELSE (lower(t COLLATE "C") COLLATE "C") END $$`,
  // Not PostgreSQL's own parser, which would make hosts and versions of src/a-b.ts:12. Of a word that comes often its first
  // places are enough to rank by, and a tsvector has at most a mebibyte.
  `CREATE FUNCTION search_words(folded text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(string_agg('''' || word || ''':' || places, ' '), '')::tsvector
    FROM (
      SELECT word, string_agg(least(n, 16383)::text, ',') AS places, sum(octet_length(word) + 24) OVER (ORDER BY min(n)) AS bytes
      FROM (
        SELECT left(w, ${longestWord}) AS word, n, row_number() OVER (PARTITION BY left(w, ${longestWord}) ORDER BY n) AS nth
        FROM regexp_split_to_table(folded COLLATE "und-x-icu", '${wordGap}+') WITH ORDINALITY AS s(w, n)
        WHERE w <> ''
      ) AS counted
      WHERE nth <= 255
      GROUP BY word
    ) AS distinct_words
    WHERE bytes < 1000000 $$`,
];

/**
 * Events are read in the order of their cursors, and none may appear behind a reader. Numbers of a sequence are given before
 * the commit, and not in its order, so a cursor begins with the number of its transaction: below the oldest that still
 * runs, nothing can be added any more.
 */
export const eventCursors: readonly string[] = [
  `CREATE SEQUENCE event_in_transaction CYCLE MINVALUE 0 MAXVALUE 1048575 START 0`,
  `CREATE FUNCTION event_cursor() RETURNS bigint LANGUAGE sql AS $$
    SELECT (pg_current_xact_id()::text::bigint << 20) | nextval('event_in_transaction') $$`,
  `CREATE FUNCTION event_cursor_border() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 20 $$`,
  `ALTER TABLE event ALTER COLUMN cursor DROP IDENTITY`,
  `ALTER TABLE event ALTER COLUMN cursor SET DEFAULT event_cursor()`,
];

export const searchColumns: readonly string[] = [
  `ALTER TABLE message ADD COLUMN folded text COLLATE "C" GENERATED ALWAYS AS (search_fold(content)) STORED`,
  `ALTER TABLE message ADD COLUMN words tsvector GENERATED ALWAYS AS (search_words(search_fold(content))) STORED`,
  `CREATE INDEX message_words ON message USING gin (words)`,
];
