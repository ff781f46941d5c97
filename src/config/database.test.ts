import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultError } from "../core/faults.ts";
import { databaseUrl, secretsInUrl } from "./database.ts";

const url = "postgres://me:p%40ssword@db.example/talaria";
const variables = (name: string): string | undefined =>
  ({ DATABASE: url, WRONG: "mysql://db.example/x" })[name];

test("the address of the database is that of the variable, else the written one, else none", () => {
  assert.equal(databaseUrl({ url: "postgres://db/other", url_env: "DATABASE" }, variables), url);
  assert.equal(databaseUrl({ url: "postgres://db/other" }, variables), "postgres://db/other");
  assert.equal(databaseUrl(undefined, variables), undefined);
});

test("a variable that is missing or holds something else is a fault, and never another store", () => {
  for (const name of ["MISSING", "WRONG"])
    assert.throws(
      () => databaseUrl({ url: "postgres://db/other", url_env: name }, variables),
      (error: unknown) => error instanceof FaultError && error.fault.message.includes(name),
    );
});

test("a password is hidden as it is written and as it is meant", () => {
  assert.deepEqual(secretsInUrl(url), [url, "p%40ssword", "p@ssword"]);
  assert.deepEqual(secretsInUrl("postgres://db.example/talaria"), []);
});
