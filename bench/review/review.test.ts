import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";
import { kinds, run } from "./run.ts";

const { quick } = bench.sizes;

test("turns are answered while reviews go on, their own session's and another's", async () => {
  const measured = await run(quick, () => {});
  assert.equal(measured.failed, 0);
  for (const kind of kinds) assert.equal(measured[kind].length, quick.rounds);
});
