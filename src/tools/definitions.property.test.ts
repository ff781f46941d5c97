import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { z } from "zod";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { asId } from "../core/ids.ts";
import { isPlainObject, type Json } from "../core/json.ts";
import { codexDynamicDefinition, responsesDefinition } from "./definitions.ts";
import { toolBox } from "./registry.ts";
import type { Tool } from "./tool.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

/** A schema of the kinds that our tools use, and a value that fits it. */
type Typed = { readonly type: z.ZodType; readonly value: Json };

const text = fc.string({ minLength: 1, maxLength: 12 });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/);

const plain: fc.Arbitrary<Typed> = fc.oneof(
  text.map((value) => ({ type: z.string().min(1), value })),
  fc.integer({ min: -5, max: 99 }).map((value) => ({ type: z.int().min(-5).max(99), value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
    type: z.number(),
    value: Object.is(value, -0) ? 0 : value,
  })),
  fc.boolean().map((value) => ({ type: z.boolean(), value })),
  fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => ({
    type: z.enum(words as [string, ...string[]]),
    value: words.at(-1) ?? "",
  })),
  fc.array(text, { maxLength: 3 }).map((value) => ({ type: z.array(z.string()).max(3), value })),
  fc.tuple(word, fc.boolean()).map(([value, isWord]) => ({
    type: z.union([z.literal(value), z.int()]),
    value: isWord ? value : 7,
  })),
);

const field = (inner: fc.Arbitrary<Typed>): fc.Arbitrary<Typed & { readonly given: boolean }> =>
  fc
    .record({
      of: inner,
      kind: fc.constantFrom("required", "optional", "default"),
      given: fc.boolean(),
      text,
    })
    .map(({ of: { type, value }, kind, given, text: about }) => {
      const described = type.describe(about);
      if (kind === "required") return { type: described, value, given: true };
      return { type: kind === "optional" ? described.optional() : described.default(value), value, given };
    });

const object = (inner: fc.Arbitrary<Typed>): fc.Arbitrary<Typed> =>
  fc.dictionary(word, field(inner), { maxKeys: 5 }).map((fields) => ({
    type: z.object(Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type]))),
    value: Object.fromEntries(
      Object.entries(fields).flatMap(([name, { value, given }]) => (given ? [[name, value]] : [])),
    ),
  }));

const whole = object(fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: object(plain) }));

const boxOf = (tool: Tool) =>
  toolBox([tool], {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/",
    clock: fakeClock(),
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
  });

const wire = (definition: Json): unknown => JSON.parse(JSON.stringify(definition));

test("responses and codex have the same name, words and schema, and arguments come through whole", async () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
  await fc.assert(
    fc.asyncProperty(whole, name, text, async ({ type, value }, toolName, description) => {
      const got: unknown[] = [];
      const schema = type as z.ZodObject;
      const box = boxOf({
        name: toolName,
        description,
        schema,
        toolset: "test",
        effect: "none",
        timeoutMs: 1000,
        maxOutputChars: 1000,
        async run(args) {
          got.push(args);
          return { ok: true, output: "" };
        },
      });
      const [spec] = box.specs;
      assert.ok(spec);
      const parameters = wire(spec.parameters);
      const same = { name: toolName, description };
      assert.deepEqual(wire(responsesDefinition(spec)), {
        type: "function",
        ...same,
        parameters,
        strict: false,
      });
      assert.deepEqual(wire(codexDynamicDefinition(spec)), {
        type: "function",
        ...same,
        inputSchema: parameters,
      });
      assert.deepEqual(namesIn(parameters), Object.keys(schema.shape).toSorted());
      const { ok, output } = await box.call(toolName, wire(value), new AbortController().signal);
      assert.equal(ok, true, output);
      assert.deepEqual(got, [schema.parse(value)]);
      assert.partialDeepStrictEqual(got[0], value as object);
    }),
    { numRuns: 200 },
  );
});

/** What a model is told that it may give. */
function namesIn(parameters: unknown): readonly string[] {
  assert.ok(isPlainObject(parameters) && parameters["type"] === "object");
  assert.ok(!("$schema" in parameters));
  return Object.keys(isPlainObject(parameters["properties"]) ? parameters["properties"] : {}).toSorted();
}
