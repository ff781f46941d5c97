import assert from "node:assert/strict";
import { test } from "node:test";
import { migrateRun } from "./migrate-run.ts";
import { bench } from "./bench.ts";

const { quick } = bench.sizes;

test("while an editor saves and processes are killed, no byte of anybody is lost and codex reads every result", async () => {
  const report = await migrateRun(quick, 7, () => {});
  assert.deepEqual(report.broken, []);
  assert.equal(report.migrations, 2 * quick.migrations);
  // How many saves fall into so few migrations depends on the machine.
  assert.ok(report.edits >= 4, `${report.edits} edits`);
  assert.ok(report.naiveLost > 0, "a writer that does not look must be noticed");
  assert.ok(report.stepKills >= 6, `${report.stepKills} kills`);
  assert.equal(report.randomKills, quick.randomKills);
  assert.ok(report.filesRead >= 1);
});
