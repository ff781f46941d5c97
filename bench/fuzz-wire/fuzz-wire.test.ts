import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bench, faultsIn } from "./bench.ts";
import { fuzzRun } from "./fuzz-run.ts";
import { mutantLines, mutants } from "./mutants.ts";

const { quick } = bench.sizes;

describe("a codex that says anything", () => {
  test("never ends a request with what is no answer to it, loses a frame or waits for us in vain", async () => {
    const report = await fuzzRun({ ...quick, seed: 7 });
    assert.deepEqual(faultsIn(report), []);
    assert.ok(report.lines >= quick.lines);
    assert.ok(report.frames > quick.lines / 4, "many lines reach the turn machine");
    assert.ok(report.planted > 50, `${report.planted} requests were answered`);
  });

  for (const { name, seen } of mutants) {
    test(`is seen through when the wire is broken: ${name}`, async () => {
      assert.ok(seen(await fuzzRun({ lines: mutantLines, seed: 7, mutant: name })) > 0);
    });
  }
});
