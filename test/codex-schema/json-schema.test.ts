import assert from "node:assert/strict";
import { test } from "node:test";
import { type Schema, validate } from "./json-schema.ts";
import { unknownKeywords } from "./keywords.ts";

const place: Schema = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] };
const root: Schema = {
  definitions: {
    Place: place,
    v2: {
      Word: { type: "string", minLength: 2 },
      Tree: { type: "array", items: { $ref: "#/definitions/v2/Tree" } },
    },
  },
};
const choice: Schema = {
  oneOf: [
    {
      type: "object",
      properties: { type: { enum: ["a"], type: "string" }, n: { type: "integer" } },
      required: ["type", "n"],
    },
    {
      type: "object",
      properties: { type: { enum: ["b"], type: "string" }, s: { type: "string" } },
      required: ["type", "s"],
    },
  ],
};

const table: readonly (readonly [name: string, schema: Schema, good: unknown[], bad: unknown[]])[] = [
  ["true", true, [1, null, {}], []],
  ["false", false, [], [1, null, {}]],
  ["type", { type: "integer" }, [0, -3, 2 ** 40], [1.5, "1", null, NaN, [1]]],
  ["type: number", { type: "number" }, [0, 1.5], ["1", null]],
  ["type: object", { type: "object" }, [{}, { a: 1 }], [[], null, "x"]],
  ["type: array", { type: "array" }, [[], [1]], [{}, null]],
  ["type: null", { type: "null" }, [null], [0, "", false]],
  ["several types", { type: ["string", "null"] }, ["x", null], [1, {}]],
  ["enum", { enum: ["on-request", "never"], type: "string" }, ["never"], ["always", "", null]],
  ["minimum", { type: "integer", minimum: 0 }, [0, 9], [-1]],
  ["minLength", { type: "string", minLength: 1 }, ["a"], [""]],
  ["required and properties", place, [{ x: 1 }, { x: 1, y: 2 }], [{}, { x: "1" }, { x: null }]],
  [
    "additionalProperties: false",
    { properties: { a: true }, additionalProperties: false },
    [{ a: 1 }, {}],
    [{ b: 1 }],
  ],
  [
    "additionalProperties as a schema",
    { additionalProperties: { type: "string" } },
    [{}, { a: "x" }],
    [{ a: 1 }],
  ],
  ["items", { type: "array", items: { type: "string" } }, [[], ["a"]], [["a", 1]]],
  ["$ref", { $ref: "#/definitions/Place" }, [{ x: 1 }], [{}]],
  ["$ref into a folder", { $ref: "#/definitions/v2/Word" }, ["ab"], ["a", 1]],
  ["$ref to itself", { $ref: "#/definitions/v2/Tree" }, [[], [[], [[]]]], [[[], 1], {}]],
  ["allOf", { allOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: 1, b: 1 }], [{ a: 1 }, { b: 1 }]],
  ["anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, ["x", null], [1]],
  [
    "oneOf",
    choice,
    [
      { type: "a", n: 1 },
      { type: "b", s: "x" },
    ],
    [{ type: "a", s: "x" }, { type: "c" }, {}],
  ],
  ["oneOf, when two fit", { oneOf: [{ type: "integer" }, { type: "number" }] }, [1.5], [1]],
];

for (const [name, schema, good, bad] of table)
  test(`the validator understands ${name}`, () => {
    for (const value of good) assert.deepEqual(validate(root, schema, value), [], JSON.stringify(value));
    for (const value of bad) assert.notDeepEqual(validate(root, schema, value), [], JSON.stringify(value));
  });

test("a problem names its place, and in a choice it is the one of the branch that was meant", () => {
  const list: Schema = { type: "array", items: choice };
  assert.deepEqual(validate(root, list, [{ type: "a", n: 1 }, { type: "b" }]), ['/1: "s" is missing']);
  assert.deepEqual(validate(root, list, [{ type: "a", n: "1" }]), ['/0/n: should be integer, is "1"']);
});

test("strictly, a property that no part of the schema names is a problem", () => {
  const strict = { strict: true } as const;
  const mixed: Schema = {
    properties: { a: true },
    anyOf: [{ properties: { b: true }, required: ["b"] }, { properties: { c: true } }],
  };
  assert.deepEqual(validate(root, place, { x: 1, y: 2 }, strict), ['/: unknown property "y"']);
  assert.deepEqual(validate(root, { properties: { p: place } }, { p: { x: 1, y: 2 } }, strict), [
    '/p: unknown property "y"',
  ]);
  assert.deepEqual(validate(root, choice, { type: "a", n: 1, s: "of the other" }, strict), [
    '/: unknown property "s"',
  ]);
  assert.deepEqual(validate(root, mixed, { a: 1, b: 1, c: 1 }, strict), []);
  assert.deepEqual(validate(root, mixed, { a: 1, d: 1 }, strict), ['/: unknown property "d"']);
  for (const open of [
    true,
    { type: "object" },
    { properties: { a: true }, additionalProperties: true },
  ] as const)
    assert.deepEqual(validate(root, open, { b: 1 }, strict), []);
});

test("a reference to nowhere is an error, not a pass", () => {
  assert.throws(() => validate(root, { $ref: "#/definitions/Nobody" }, 1), /not in it/);
});

test("a keyword that the validator does not know is found wherever it stands", () => {
  assert.deepEqual(unknownKeywords(root), []);
  const hidden: Schema = {
    definitions: { v2: { A: { oneOf: [{ properties: { p: { pattern: "x" } } }] } }, B: { items: [{}] } },
    not: {},
  };
  assert.deepEqual(unknownKeywords(hidden), [
    "#/definitions/v2/A/oneOf/0/properties/p/pattern",
    "#/definitions/B/items (a list)",
    "#/not",
  ]);
});
