import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { knownVariables } from "./environment.ts";
import { defaults, knownKeys } from "./keys.ts";
import { suggestKey } from "./key-lookup.ts";
import { fileSchema } from "./schema.ts";

test("the table of keys and the schema know the same keys", () => {
  assert.deepEqual(knownKeys.map(({ key }) => key).toSorted(), schemaKeys(fileSchema, []).toSorted());
});

test("the defaults are what the schema accepts, and what the table says", () => {
  assert.deepEqual(fileSchema.parse(defaults), defaults);
  const leaves = Object.entries(defaults).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]),
  );
  const told = knownKeys.filter((known) => known.default !== undefined && !known.key.includes("*"));
  assert.deepEqual(
    Object.fromEntries(leaves),
    Object.fromEntries(told.map((known) => [known.key, known.default])),
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

/** Down to what is free: a map of plain values is one key. */
function schemaKeys(schema: z.core.$ZodType, path: readonly string[]): readonly string[] {
  if (schema instanceof z.ZodExactOptional) return schemaKeys(schema.unwrap(), path);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) =>
      schemaKeys(inner as z.ZodType, [...path, key]),
    );
  }
  const inner =
    schema instanceof z.ZodRecord
      ? schema.valueType
      : schema instanceof z.ZodArray
        ? schema.element
        : undefined;
  if (inner instanceof z.ZodObject) return schemaKeys(inner, [...path, "*"]);
  return [path.join(".")];
}
