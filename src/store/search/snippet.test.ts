import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
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
