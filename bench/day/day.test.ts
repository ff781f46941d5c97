import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("models are asked for what was due and for nothing else, and a host that polls is noticed", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
