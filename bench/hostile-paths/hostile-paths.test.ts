import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsRun } from "./paths-run.ts";
import { bench } from "./bench.ts";

const { quick } = bench.sizes;

test("hostile paths read and change nothing outside the folder, and tools that do not look are noticed", async () => {
  const { figures, faults } = await pathsRun(quick, 7, () => {});
  assert.deepEqual(faults, []);
  assert.equal(figures["paths"], quick.paths);
});
