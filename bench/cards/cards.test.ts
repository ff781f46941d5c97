import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("a card on the real codex is done once, whether codex, its command or the host is killed", async () => {
  const { faults } = await bench.run(bench.sizes.quick, { seed: 1, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
});
