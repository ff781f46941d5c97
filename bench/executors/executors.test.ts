import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("of two executors the one that was replaced writes nothing more, and nothing is done twice", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 7, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
