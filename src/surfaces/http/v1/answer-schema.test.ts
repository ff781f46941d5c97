import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whyUncheckable, whyUnfit } from "./answer-schema.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    age: { type: ["integer", "null"], minimum: 0 },
    mood: { enum: ["good", "bad"] },
    friends: { type: "array", items: { $ref: "#" }, maxItems: 2 },
  },
  required: ["name"],
  additionalProperties: false,
};

const wrongs: readonly (readonly [string, object, unknown, RegExp])[] = [
  ["another type", person, [], /^\/: it should be object, and is \[\]/],
  ["a missing property", person, {}, /^\/: "name" is missing/],
  ["one too many", person, { name: "a", x: 1 }, /^\/x: nothing is allowed there/],
  [
    "one deep inside",
    person,
    { name: "a", friends: [{ name: "b", age: -1 }] },
    /^\/friends\/0\/age: minimum/,
  ],
  ["none of the choices", person, { name: "a", mood: "so so" }, /^\/mood: it is none of/],
  ["too many", person, { name: "a", friends: [1, 2, 3] }, /^\/friends: maxItems is 2/],
  ["too short", person, { name: "" }, /minLength/],
  ["a fraction", { type: "integer" }, 1.5, /should be integer/],
  ["not a multiple", { multipleOf: 0.1 }, 0.25, /multipleOf/],
  ["another constant", { const: { a: [1] } }, { a: [2] }, /is not \{"a":\[1\]\}/],
  ["two of one", { oneOf: [{ type: "number" }, { minimum: 1 }] }, 5, /fits 2 of the choices/],
  ["none of any", { anyOf: [{ type: "number" }, { type: "null" }] }, "x", /should be number/],
  ["one of all", { allOf: [{ type: "number" }, { maximum: 3 }] }, 4, /maximum is 3/],
  ["what must not be", { not: { type: "string" } }, "x", /must not be/],
  ["a limit that is none", { exclusiveMaximum: 3 }, 3, /exclusiveMaximum/],
];

describe("an answer and the schema it was asked for", () => {
  for (const [what, schema, value, why] of wrongs)
    test(`is held to it: ${what}`, () => {
      assert.equal(whyUncheckable(schema), undefined);
      assert.match(whyUnfit(schema, JSON.stringify(value)) ?? "it fits", why);
    });

  test("fits when it does", () => {
    const friend = { name: "b", age: null };
    assert.equal(whyUnfit(person, JSON.stringify({ name: "a", mood: "good", friends: [friend] })), undefined);
    assert.equal(whyUnfit({ const: { a: 1, b: 2 } }, '{"b":2,"a":1}'), undefined);
    assert.equal(whyUnfit({ minimum: 3 }, '"words have no minimum"'), undefined);
    assert.equal(whyUnfit({ multipleOf: 0.1 }, "0.3"), undefined);
  });

  test("is JSON", () => assert.equal(whyUnfit({}, "Yes."), "it is no JSON"));

  test("ends, whatever the schema refers to", () => {
    const loop = {
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } },
    };
    assert.equal(whyUncheckable(loop), undefined);
    assert.match(whyUnfit(loop, "1") ?? "", /too long/);
  });
});

const inside = (schema: object): object => ({ type: "object", properties: { a: schema } });

test("a schema that answers cannot be held to is told with its place", () => {
  for (const [schema, why] of [
    [{ pattern: "(a+)+$" }, /^#\/properties\/a\/pattern: no answer can be checked/],
    [{ if: {} }, /\/if: no answer/],
    [{ $ref: "https://example.com/x" }, /\/\$ref: that is not in it/],
    [{ $ref: "#/$defs/missing" }, /\/\$ref: that is not in it/],
    [{ type: "banana" }, /^#\/properties\/a: there is no type "banana"/],
    [{ items: [{ type: "string" }] }, /\/items: it has to be an object/],
    [{ anyOf: {} }, /\/anyOf: no answer/],
  ] as const)
    assert.match(whyUncheckable(inside(schema)) ?? "it can", why);
});
