import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";
import { upgradeRun } from "./upgrade-run.ts";

test("an upgrade that is killed leaves the old store or the new one, whole, and the next start ends it", async () => {
  const { broken, ...counts } = await upgradeRun(bench.sizes.quick, 7, () => {});
  assert.deepEqual(broken, []);
  assert.ok(counts.statements > 10, `it has ${counts.statements} statements`);
  assert.ok(counts.statementKills >= 3 && counts.leftOld > 0);
  assert.equal(counts.randomKills, 1);
});
