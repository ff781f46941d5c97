import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modelPart } from "./model-part.ts";
import { realPart } from "./real-part.ts";
import { rewritePart } from "./rewrite-part.ts";
import { bench } from "./bench.ts";

const { quick } = bench.sizes;
/** With this one everything that has to come up does so among as few as these; a yes that is revoked is rare. */
const seed = 1;

// Mostly they wait for codex and for commands.
describe("questions and answers in any order", { concurrency: true }, () => {
  test("let through exactly what was granted, and each way to be wrong is noticed", async () => {
    const { figures, faults } = await modelPart(quick, seed, () => {});
    assert.deepEqual(faults, []);
    assert.equal(figures["interleavings"], quick.interleavings);
    assert.equal(figures["broken"], 0);
  });

  test("on the real codex do what was granted, and nothing else", async () => {
    const { figures, faults } = await realPart(quick, seed, () => {});
    assert.deepEqual(faults, []);
    assert.equal(figures["turns"], quick.realTurns);
  });

  test("never do what was made of an action after the yes to it, and a yes to words alone is noticed", async () => {
    const { faults } = await rewritePart(quick, seed, () => {});
    assert.deepEqual(faults, []);
  });
});
