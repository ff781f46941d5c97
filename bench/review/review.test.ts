import assert from "node:assert/strict";
import { test } from "node:test";
import { quickSize, run } from "./run.ts";
import { verdict } from "./verdict.ts";

test("turns are answered while reviews go on, their own session's and another's", async () => {
  const measured = await run(quickSize, () => {});
  assert.equal(verdict(measured).failed, 0);
  for (const kind of ["alone", "cancelling", "beside"] as const)
    assert.equal(measured[kind].length, quickSize.rounds);
});
