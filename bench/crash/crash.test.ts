import assert from "node:assert/strict";
import { test } from "node:test";
import { testEngine } from "../../test/stores.ts";
import { crashRun } from "./crash-run.ts";
import { bench } from "./bench.ts";

const { quick } = bench.sizes;

test("killed at random moments and at store statements, nothing is lost, doubled or left running", async () => {
  const report = await crashRun(testEngine, quick, 7, () => {});
  assert.deepEqual(report.broken, []);
  assert.equal(report.randomKills, quick.randomKills);
  assert.ok(report.statements >= 30, `the scenario has ${report.statements} statements`);
  assert.equal(report.statementKills, quick.statements);
  assert.ok(report.reconcilerKills > 0);
  assert.ok(report.acked > 5);
  assert.ok(report.shown > 5);
  assert.ok(report.effects > 0);
  assert.ok(report.cutOff > 0, "a call was cut off in the middle");
  for (const [mutant, broken] of Object.entries(report.mutantBroken))
    assert.notDeepEqual(broken, [], `${mutant} must be noticed`);
});
