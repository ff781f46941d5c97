import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";

test("a host that is killed while it answers costs nothing but the turn", async () => {
  const { faults, figures } = await bench.run(bench.sizes.quick, { seed: 0, flags: {}, log: () => {} });
  assert.deepEqual(faults, []);
  assert.deepEqual(figures["hostsKilled"], { loop: 2, codex: 0 });
});
