import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("a batch that was killed goes on with the same command, and has each result once", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
