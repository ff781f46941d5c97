import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exactPart } from "./exact-part.ts";
import { realPart } from "./real-part.ts";
import { bench } from "./bench.ts";

const { quick } = bench.sizes;

describe("reviews that end at any moment, while somebody edits the same files", () => {
  test("lose no save, tear no file, and leave rows that agree with the files", async () => {
    const { crashes, faults } = await exactPart(quick.exact, 9, () => {});
    assert.deepEqual(faults, []);
    assert.equal(crashes, quick.exact);
  });

  test("lose nothing when the process is killed either, and the person's turns are all there once", async () => {
    const { inReview, faults } = await realPart(quick.real, 9, () => {});
    assert.deepEqual(faults, []);
    assert.equal(inReview, quick.real);
  });

  test("would lose saves if they wrote as programs do that nobody has warned", async () => {
    const { faults } = await exactPart(quick.naive, 9, () => {}, "naive");
    assert.ok(faults.length > 0);
  });
});
