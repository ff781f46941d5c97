import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bench, faultsIn } from "./bench.ts";
import { fuzzRun } from "./fuzz-run.ts";
import { mutantFrames, mutants } from "./mutants.ts";

const { quick } = bench.sizes;

describe("a provider that says anything", () => {
  test("is heard to exactly one end, and never makes a call of half an answer", async () => {
    const report = await fuzzRun({ ...quick, seed: 7 });
    assert.deepEqual(faultsIn(report), []);
    assert.ok(report.mutated >= quick.frames);
  });

  for (const [name, mutant] of Object.entries(mutants)) {
    test(`is seen through when the client ${name}`, async () => {
      const { broken } = await fuzzRun({ frames: mutantFrames, seed: 7, mutant });
      assert.notDeepEqual(broken, {});
    });
  }
});
