import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { boundedText, nothingSeen, appendSeen, seenText } from "./seen-text.ts";

const plain = (text: string): string => text;

test("however a text is cut into pieces, the same is kept of it, in bounded memory", () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, (cuts) => {
      const pieces = cuts.map((size, at) => String.fromCharCode(97 + at).repeat(size));
      const seen = pieces.reduce(appendSeen, nothingSeen);
      assert.equal(seenText(seen, plain), boundedText(pieces.join("")));
      assert.ok(seen.head.length + seen.tail.length <= 3 * 36 * 1024);
      assert.ok(seenText(seen, plain).length <= 65_600);
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
