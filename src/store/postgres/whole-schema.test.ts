import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type TestDatabase, testDatabase, withoutPostgres } from "../../../test/postgres.ts";
import { migrations, whole } from "./schema.ts";

/** Names of what PostgreSQL names by itself differ where a table was renamed, and columns stand in another order. */
const asked = {
  columns: `select table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity, identity_generation,
      is_generated, generation_expression
    from information_schema.columns where table_schema = current_schema() order by 1, 2`,
  constraints: `select conrelid::regclass::text, contype, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = current_schema()::regnamespace order by 1, 2, 3`,
  indexes: `select tablename, regexp_replace(indexdef, 'INDEX \\w*(_pkey|_key)\\M', 'INDEX'), indexdef ~ 'INDEX \\w*(_pkey|_key)\\M'
    from pg_indexes where schemaname = current_schema() order by 1, 2`,
  functions: `select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = current_schema()::regnamespace order by 1, 2`,
  triggers: `select tgname, pg_get_triggerdef(oid) from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace) order by 1`,
  views: `select viewname, definition from pg_views where schemaname = current_schema() order by 1`,
  sequences: `select sequencename, data_type, start_value, min_value, max_value, cycle from pg_sequences
    where schemaname = current_schema() order by 1`,
  rows: `select key from meta`,
};

describe("a new database", { skip: withoutPostgres() }, () => {
  test("is made at once, and is what all steps make one after the other", async () => {
    const atOnce = await madeBy([...whole.statements, ...migrations.slice(whole.version).flat()]);
    const stepByStep = await madeBy(migrations.flat());
    for (const [what, found] of Object.entries(stepByStep)) {
      assert.ok(found.length > 0, what);
      assert.deepEqual(atOnce[what], found, what);
    }
  });
});

async function madeBy(statements: readonly string[]): Promise<Record<string, readonly unknown[]>> {
  await using database = await testDatabase();
  const schema = String((await database.ask("select current_schema() as name"))[0]?.["name"]);
  await database.ask(statements.join(";\n"));
  const found: Record<string, readonly unknown[]> = {};
  for (const [what, sql] of Object.entries(asked)) found[what] = await rowsOf(database, sql, schema);
  return found;
}

const rowsOf = async (database: TestDatabase, sql: string, schema: string): Promise<readonly unknown[]> =>
  (await database.ask(sql)).map((row) => JSON.stringify(row).replaceAll(schema, "schema"));
