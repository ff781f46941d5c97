import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("two schedulers make one row of every instant, whatever clocks do, and faults of others are noticed", async () => {
  const { faults, figures } = await bench.run(bench.sizes.quick, { seed: 7, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
  assert.partialDeepStrictEqual(figures, { sqlite: { doubled: 0, missing: 0, unknown: 0 } });
});
