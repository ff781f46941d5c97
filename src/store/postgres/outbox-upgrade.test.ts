import { describe, test } from "node:test";
import { testDatabase, withoutPostgres } from "../../../test/postgres.ts";
import { assertUpgraded, oldOutbox, versionBefore } from "../suite/old-outbox.suite.ts";
import { openPostgresStore } from "./open.ts";
import { migrations } from "./schema.ts";

describe("an outbox of an earlier Talaria in PostgreSQL", { skip: withoutPostgres() }, () => {
  test("is brought into the new form, whatever had become of what was in it", async () => {
    await using database = await testDatabase();
    const version = [
      "create table schema_version (version bigint not null)",
      `insert into schema_version values (${versionBefore})`,
    ];
    const statements = [...migrations.slice(0, versionBefore).flat(), ...version, ...oldOutbox];
    await database.ask(statements.join(";\n"));
    await using store = await openPostgresStore(database.url);
    await assertUpgraded(store);
  });
});
