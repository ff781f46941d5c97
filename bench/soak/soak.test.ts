import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";
import { slope } from "./slope.ts";

test("turns with faults and restarts end as they should, and leave no timer, handle or process", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});

test("what grows is seen, and what only warms up is not", () => {
  assert.equal(slope(Array.from({ length: 10 }, (_, at) => [at * 500, 50 + at])), 2);
  assert.equal(slope(Array.from({ length: 10 }, (_, at) => [at * 500, at < 2 ? 20 : 50])), 0);
});
