import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("hostile members, guests and strangers get nothing that is not theirs, everybody gets what is written down, and each planted mistake is noticed", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
