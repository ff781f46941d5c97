import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { cut, shownLine, shownText, within, wrapped } from "./shown-text.ts";
import { visibleWidth } from "../toolkit.ts";
import { anyText, assertSafe } from "./view-bench.suite.ts";

test("line breaks of every kind stay as one kind, tabs become spaces, the rest is made visible", () => {
  assert.equal(shownText("a\r\nb\rc\td\u001B[31m\u202Ee\uD83D"), "a\nb\nc    d\uFFFD[31m\uFFFDe\uFFFD");
});

test("emoji that were joined stand side by side, and letters that need a joiner keep it", () => {
  assert.equal(shownText("👩‍👩‍👧 ❤️‍🔥 👍🏽 👨🏽‍💻"), "👩👩👧 ❤️🔥 👍 👨💻");
  assert.equal(shownText("क्‍ष"), "क्‍ष");
});

test("what is invisible takes no place, and what only looks empty is made visible", () => {
  assert.equal(shownText("a\u00ADb\u200Bc\u2060d\uFEFF"), "abcd");
  assert.equal(shownText("\u3164\u115F"), "\uFFFD\uFFFD");
});

test("a title is one line of its beginning", () => {
  assert.equal(shownLine("  a\n\tb  c "), "a b c");
  assert.ok(shownLine("x".repeat(1_000_000)).length <= 4_000);
});

test("a cut line says so and has no colour of its own", () => {
  assert.equal(cut("漢字漢字", 5), "漢字…");
  assert.equal(cut("abc", 3), "abc");
  assert.equal(cut("abc", 0), "");
});

test("on a screen of one column a wide character has no place", () => {
  assert.equal(visibleWidth(within("漢", 1)), 0);
});

test("any text that is broken into lines fits, and no word of it is lost", () => {
  fc.assert(
    // A character may be some columns wide: on fewer it cannot both fit and be there.
    fc.property(anyText(60), fc.integer({ min: 8, max: 40 }), (text, width) => {
      const shown = shownText(text);
      const lines = wrapped(shown, width);
      assertSafe(lines, width);
      assert.equal(lines.join("").replaceAll(/\s/g, ""), shown.replaceAll(/\s/g, ""));
    }),
  );
});
