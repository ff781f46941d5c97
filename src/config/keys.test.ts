import assert from "node:assert/strict";
import { test } from "node:test";
import { knownVariables } from "./environment.ts";
import { knownKeys, suggestKey } from "./key-lookup.ts";
import { defaults } from "./keys.ts";
import { checkShape, schemaOf } from "./schema.ts";
import { FaultError } from "../core/faults.ts";
import { databaseUrl, secretsInUrl } from "./database.ts";

test("the defaults are what the check accepts", () => {
  for (const known of knownKeys) {
    if (known.default === undefined) continue;
    assert.deepEqual(schemaOf(known, []).safeParse(known.default), { success: true, data: known.default });
  }
});

test("what holds when nobody says otherwise is what the keys say", () => {
  const leaves = Object.entries(defaults).flatMap(([section, values]) =>
    Object.entries(values ?? {}).map(([name, value]) => [`${section}.${name}`, value]),
  );
  // What is further down is put in its place where it is read.
  const told = knownKeys.filter(
    ({ key, default: value }) => value !== undefined && !key.includes("*") && key.split(".").length <= 2,
  );
  assert.deepEqual(
    leaves,
    told.map((known) => [known.key, known.default]),
  );
});

test("every key and variable has one line of meaning", () => {
  for (const { meaning } of [...knownKeys, ...knownVariables]) assert.match(meaning, /^\S[^\n]*\.$/);
});

test("a variable outranks a key that exists", () => {
  const keys = knownKeys.map(({ key }) => key);
  for (const known of knownVariables) if ("overrides" in known) assert.ok(keys.includes(known.overrides));
});

test("suggests the key that was meant", () => {
  const meant: readonly (readonly [string, string | undefined])[] = [
    ["modle", "model"],
    ["model.defualt", "model.default"],
    ["model.api_mode", "model.openai_runtime"],
    ["providers.mine.base_url", "providers.mine.api"],
    ["providers.mine.api_key", "providers.mine.key_env"],
    ["openai_runtime", "model.openai_runtime"],
    ["security_mode", "terminal.security_mode"],
    ["providers.mine.temperature", undefined],
    ["quux", undefined],
  ];
  for (const [wrong, right] of meant) assert.equal(suggestKey(wrong.split(".")), right, wrong);
});

test("a key is checked wherever it is written, and missed wherever it is required", () => {
  const api = "http://127.0.0.1:1/v1";
  const prices = { m: { input: 1, output: 2 }, n: { cached: -1, output: 2 } };
  assert.deepEqual(problems({ providers: { a: { api, prices }, b: { api, models: 3 } } }), [
    "providers.a.prices.n.input: a price in USD for a million tokens",
    "providers.a.prices.n.cached: a price in USD for a million tokens, 0 or more",
    "providers.b.models: a list of text, such as [a, b]",
  ]);
  assert.deepEqual(problems({ fallback_providers: [{}], memory: { provider: {} } }), [
    "fallback_providers.0.provider: text",
    "fallback_providers.0.model: text",
    "memory.provider.url: text",
  ]);
});

const problems = (content: Readonly<Record<string, unknown>>): readonly string[] =>
  checkShape(content).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

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
