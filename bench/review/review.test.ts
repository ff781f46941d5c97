import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds, quickSize, run } from "./run.ts";
import { verdict } from "./verdict.ts";

test("turns are answered while reviews go on, their own session's and another's", async () => {
  const measured = await run(quickSize, () => {});
  assert.equal(verdict(measured).failed, 0);
  for (const kind of kinds) assert.equal(measured[kind].length, quickSize.rounds);
});
