/**
 * How a step of the schema is written: once, for both engines.
 *
 * A step is a list of statements in SQLite's words. PostgreSQL gets the same ones, translated (`store/postgres/schema.ts`), as
 * long as they are of these forms:
 * - `CREATE TABLE … ) STRICT` with columns INTEGER and TEXT, `seq INTEGER PRIMARY KEY` for a number that counts up,
 *   CHECK, UNIQUE, REFERENCES … ON DELETE, PRIMARY KEY (…);
 * - `CREATE [UNIQUE] INDEX … [WHERE …]`, `ALTER TABLE …`, `DROP TRIGGER name`, `UPDATE`, `INSERT`, `DELETE`;
 * - `CREATE VIEW`, and `CREATE TRIGGER name BEFORE|AFTER|INSTEAD OF … ON table [WHEN …] BEGIN …; END`, where the body is
 *   `SELECT RAISE(ABORT, '…')` or statements as here, with `IS NOT` for "differs from".
 *
 * Whatever cannot be said so is written twice: `{ sqlite: "…", postgres: "…" }`, and either may be left out. In queries,
 * `json_extract(body, '$.key')` (not `->>`), `json_valid`, `json_object`, `unixepoch`, `count(*) filter (where …)`, `coalesce` and `||` work on both; a sum of truth
 * values, `INSERT OR …`, rowid and PRAGMA do not. Rules that must hold whatever the program does are constraints and
 * triggers. The store suite runs on both engines and finds what was forgotten. `npm run docs` writes what all steps make
 * together, which a new store gets at once (`whole-schema.ts`).
 */
export type Step = readonly Statement[];

type Statement = string | { readonly sqlite?: string; readonly postgres?: string };

export const statementsFor = (engine: "sqlite" | "postgres", step: Step): readonly string[] =>
  step.flatMap((statement) => (typeof statement === "string" ? statement : (statement[engine] ?? [])));
