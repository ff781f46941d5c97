import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { cutEnd, cutMiddle } from "./cut-middle.ts";

test("text that fits stays as it is", () => {
  assert.equal(cutMiddle("abcdef", 6), "abcdef");
});

test("longer text keeps its beginning and end, and says how much is missing", () => {
  assert.equal(cutMiddle("abcdefghij", 5), "abc\n[5 characters left out]\nij");
});

test("whatever is cut, the numbers add up and no character is cut in two", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, max) => {
      const cut = cutMiddle(text, max);
      assert.ok(cut.isWellFormed());
      assert.ok(cutEnd(text, max).isWellFormed());
      if (text.length <= max) return assert.equal(cut, text);
      const missing = Number(/\n\[(\d+) characters left out\]\n/.exec(cut)?.[1]);
      const kept = cut.length - `\n[${missing} characters left out]\n`.length;
      assert.equal(kept + missing, text.length);
      assert.ok(kept <= max && kept >= max - 2);
    }),
  );
});
