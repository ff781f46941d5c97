import assert from "node:assert/strict";
import { test } from "node:test";
import { killRun, passes } from "./kill-run.ts";
import { quickSize } from "./sizes.ts";

test("when codex or Talaria is killed between two frames, nothing is lost or doubled and the thread goes on", async () => {
  const report = await killRun(quickSize, () => {});
  assert.deepEqual(report.broken, []);
  assert.deepEqual({ ...report.cuts, least: quickSize.least }, quickSize);
  assert.ok(report.resumed.real + report.resumed.fake + report.resumed.ours >= 2);
  assert.notDeepEqual(report.mutants["forget-thread"], [], "a thread that is not resumed must be noticed");
  assert.notDeepEqual(report.mutants["no-recovery"], [], "a result that is not recovered must be noticed");
  assert.ok(passes(report, quickSize));
});
