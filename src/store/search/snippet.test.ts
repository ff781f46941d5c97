import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { highlight } from "./highlight.ts";
import { mark, snippet, snippetOf } from "./snippet.ts";

test("marks become « and », and white space one space", () => {
  assert.equal(snippet(` a\n\n${mark.open}b${mark.close}\tc `), "a «b» c");
});

test("the terms are marked wherever they stand, whatever their case", () => {
  assert.equal(snippetOf("Foo bar (foo) F.o", ["foo", "f.o"]), "«Foo» bar («foo») «F.o»");
});

test("a term is taken literally, whatever signs it has", () => {
  for (const term of [..."-^$.*+?()[]{}|/\\&#=!:<>,'", "a-b", "--", "\\d", "[a]"]) {
    assert.equal(snippetOf(`x ${term} y`, [term]), `x «${term}» y`);
  }
});

test("text before and after the place is left out", () => {
  const shown = snippetOf(`${"a ".repeat(100)}here${" b".repeat(200)}`, ["here"]);
  assert.match(shown, /^…(a ){20,}«here»( b){20,}…$/u);
});

test("a snippet is short, whole and balanced, whatever is in the text", () => {
  const pieces = fc.array(fc.constantFrom("a", "😀", " ", "\n", "long-word ", "x".repeat(90)), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(pieces, pieces, fc.constantFrom("q", "q😀", "q".repeat(300)), (before, after, hit) => {
      const marked = `${before.join("")}${mark.open}${hit}${mark.close}${after.join("")}`;
      for (const shown of [snippet(marked), snippetOf(before.join("") + hit + after.join(""), [hit])]) {
        assert.ok(shown.length <= 210, String(shown.length));
        assert.ok(shown.isWellFormed());
        assert.match(shown, /^[^«»]*«[^«»]+»[^«»]*$/u);
      }
    }),
  );
});

test("the first place is found in a text as long as a book, and marked as in a short one", () => {
  for (const filler of ["lorem ipsum ", "lorém ipsum "]) {
    const shown = (words: number): string =>
      highlight(
        `${filler.repeat(words)}Neédle haystack needles needle`,
        [{ text: "needle", prefix: false }],
        true,
      );
    assert.match(shown(20), /«Neédle» haystack needles «needle»$/u);
    // Around the borders of the parts that it is looked at in.
    for (const words of [5_455, 5_460, 5_461, 5_462]) assert.equal(shown(words), shown(20), String(words));
  }
});
