import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { byteTail } from "./byte-tail.ts";

describe("byteTail", () => {
  test("keeps the last bytes, whatever the chunks", () => {
    const chunks = fc.array(fc.string({ maxLength: 12, unit: "grapheme-ascii" }), { maxLength: 12 });
    const property = fc.property(chunks, fc.integer({ min: 1, max: 20 }), (texts, limit) => {
      const tail = byteTail(limit);
      for (const text of texts) tail.add(Buffer.from(text));
      assert.equal(tail.text(), texts.join("").slice(-limit));
      assert.equal(tail.total(), texts.join("").length);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("does not begin in the middle of a character", () => {
    for (const [limit, expected] of [
      [7, "😀bc"],
      [6, "😀bc"],
      [5, "bc"],
      [3, "bc"],
      [2, "bc"],
    ] as const) {
      const tail = byteTail(limit);
      tail.add(Buffer.from("aaaé"));
      tail.add(Buffer.from("😀bc"));
      assert.equal(tail.text(), expected);
    }
  });

  test("shows bytes that are no text as such, and not as nothing", () => {
    const tail = byteTail(4);
    tail.add(Uint8Array.of(1, 0x80, 0x80, 0x80, 0x80));
    assert.equal(tail.text(), "\ufffd");
  });
});
