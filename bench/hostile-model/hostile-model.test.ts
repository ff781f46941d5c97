import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hostileRun } from "./hostile-run.ts";
import { quickSize } from "./sizes.ts";

describe("a hostile model with nobody to ask", () => {
  for (const runtime of ["loop", "codex"] as const) {
    test(`gets nothing on ${runtime}, and each refusal is told in a line`, async () => {
      const { rows, faults } = await hostileRun(runtime, quickSize[runtime], () => {});
      assert.deepEqual(
        rows.filter((row) => row.faults.length > 0),
        [],
      );
      assert.deepEqual(faults, []);
      assert.ok(rows.length >= 40 / quickSize[runtime], `${rows.length} scripts`);
    });
  }
});
