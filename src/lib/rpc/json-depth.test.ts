import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { deepestJson, isTooDeep } from "./json-depth.ts";

const nested = (depth: number, inner: string): string =>
  `${'{"a":['.repeat(depth / 2)}${inner}${"]}".repeat(depth / 2)}`;

test("what is nested deeper than the limit is found, whatever stands in its texts", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), (value, text) => {
      const inner = JSON.stringify([value, text, '\\"[[[['.repeat(200), "\\"]);
      assert.equal(isTooDeep(inner), false);
      assert.equal(isTooDeep(nested(deepestJson - 10, inner)), false);
      assert.equal(isTooDeep(nested(deepestJson, inner)), true);
    }),
  );
});

test("a text that is no JSON is looked through as well", () => {
  for (const text of ["", '"', '"\\', "]".repeat(9999), "\\".repeat(9999)])
    assert.equal(isTooDeep(text), false);
  assert.equal(isTooDeep("[".repeat(1_000_000)), true);
});
