import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("commands of models come into no host, in whatever way they try, and would where nothing was hidden", async () => {
  const { faults, figures } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
  assert.equal(figures["tried"], 80);
});
