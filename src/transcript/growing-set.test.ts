import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { type GrowingSet, add, emptySet, has } from "./projector.ts";

test("a growing set holds what was added and nothing else, and earlier sets stay as they were", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 70 }), fc.string(), (values, other) => {
      const steps = values.reduce<GrowingSet[]>(
        (all, value) => [...all, add(all.at(-1) ?? emptySet, value)],
        [],
      );
      for (const [at, set] of steps.entries()) {
        assert.ok(values.every((value, index) => has(set, value) === index <= at));
        assert.equal(has(set, other), values.slice(0, at + 1).includes(other));
      }
    }),
  );
});

test("a set of a thousand values lies in a handful of sets, so looking up stays quick", () => {
  let set = emptySet;
  for (let n = 0; n < 1000; n += 1) set = add(set, `itm_${n}`);
  assert.ok(set.length <= 10, `${set.length} sets`);
});
