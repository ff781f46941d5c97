import assert from "node:assert/strict";
import { test } from "node:test";
import { models, mutants, quickSize } from "./sizes.ts";
import { wholeRun } from "./whole-run.ts";

test("whatever codex offers its model is tried, and nothing goes on or costs that is not a row", async () => {
  const report = await wholeRun(quickSize, () => {});
  assert.deepEqual(report.faults, []);
  assert.deepEqual(
    models.map((model) => report.runs[model].stories),
    [1, 1],
  );
  for (const model of models) assert.ok(report.runs[model].offered.length >= 10, model);
  assert.deepEqual(
    Object.keys(report.mutants),
    mutants.map(([name]) => name),
  );
});
