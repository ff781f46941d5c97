import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { type LayeredMap, lookUp, withEntry } from "./layered-map.ts";

test("says what a map says, changes nothing it was made from, and has few layers", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.nat()), { maxLength: 300 }),
      (entries) => {
        let layers: LayeredMap<number> = [];
        const plain = new Map<string, number>();
        for (const [number, value] of entries) {
          const key = `k${number}`;
          const before = [layers, lookUp(layers, key)] as const;
          layers = withEntry(layers, key, value);
          plain.set(key, value);
          assert.equal(lookUp(before[0], key), before[1]);
        }
        for (const [key, value] of plain) assert.equal(lookUp(layers, key), value);
        assert.equal(lookUp(layers, "other"), undefined);
        assert.ok(layers.length <= Math.log2(entries.length + 1) + 1);
      },
    ),
  );
});
