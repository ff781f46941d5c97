import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { elicitedForm, secretField } from "./elicited-form.ts";
import { foreignText } from "./foreign-text.ts";

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x2fff }))
  .map((points) => String.fromCodePoint(...points));

const asked = (properties: object, message = "Please") => ({
  message,
  requestedSchema: { type: "object", properties, required: Object.keys(properties) },
});

test("what smells of a secret is found by its name, its title, its words or the question", () => {
  const secret = [
    { password: {} },
    { apiKey: {} },
    { API_KEY: {} },
    { x: { title: "Your access token" } },
    { x: { description: "the PIN of your card" } },
    { x: { format: "password" } },
    { pass_phrase: {} },
    { ｐａｓｓｗｏｒｄ: {} },
  ];
  for (const properties of secret) assert.ok(secretField(asked(properties)), JSON.stringify(properties));
  assert.equal(secretField(asked({ value: {} }, "Type your password:")), "its question");
  const harmless = [{ name: {} }, { spinner: {} }, { monkey: {} }, { keyboard: {} }, { passenger: {} }];
  for (const properties of harmless) assert.equal(secretField(asked(properties)), undefined);
});

test("answers go back in the types that were asked for", () => {
  const form = elicitedForm(
    "s",
    asked({
      size: {
        type: "string",
        oneOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" },
        ],
      },
      old: { type: "string", enum: ["a", "b"], enumNames: ["First", "Second"] },
      many: { type: "array", items: { type: "string", enum: ["x", "y"] } },
      price: { type: "number" },
    }),
  );
  assert.deepEqual(form?.form.fields[0]?.options, ["Small", "Large"]);
  assert.deepEqual(form?.typed({ size: "Large", old: "Second", many: "x, y", price: "1.5" }), {
    content: { size: "l", old: "b", many: ["x", "y"], price: 1.5 },
  });
  assert.deepEqual(form?.typed({ size: "Huge", old: "First", many: "x", price: "1" }), {
    wrong: '"size" needs one of its choices.',
  });
  assert.deepEqual(form?.typed({ size: "s", old: "a", many: "x", price: "much" }), {
    wrong: '"price" needs a number.',
  });
});

test("whatever a server asks, a form of it shows nothing that steers a screen", () => {
  fc.assert(
    fc.property(fc.jsonValue(), anyText, (schema, message) => {
      const form = elicitedForm("s", { message, requestedSchema: { properties: { x: schema } } as object });
      secretField({ message, requestedSchema: schema });
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(form?.form.title ?? "", /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
  assert.equal(foreignText("a\u202Eb\u0000 \u200Bc", 100), "a\\u{202E}b\\u{0} \\u{200B}c");
  assert.equal(foreignText("x".repeat(3000), 2000).length, 2000);
});
