import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("cards keep their rules whatever is said of them at once, and what breaks a rule is noticed", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
