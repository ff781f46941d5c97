import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { boundedText, nothingSeen, see, seenText } from "./seen-text.ts";

test("however a text is cut into pieces, the same is kept of it, in bounded memory", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, (cuts) => {
      const pieces = cuts.map((size, at) => String.fromCharCode(97 + at).repeat(size));
      const seen = pieces.reduce(see, nothingSeen);
      assert.equal(seenText(seen), boundedText(pieces.join("")));
      assert.ok(seen.head.length + seen.tail.length <= 3 * 32 * 1024);
      assert.ok(seenText(seen).length <= 65_600);
    }),
  );
});

test("a text that fits is kept whole; half a character is never left at the gap", () => {
  assert.equal(boundedText("x".repeat(65_536)), "x".repeat(65_536));
  for (const odd of ["", "x"]) {
    for (const end of ["", "x"]) {
      const cut = boundedText(`${odd}${"😀".repeat(40_000)}${end}`);
      assert.ok(cut.isWellFormed());
      assert.match(cut, /\[1446\d characters left out\]/);
    }
  }
});
