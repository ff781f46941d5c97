import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { bestOf } from "./fuzzy.ts";

const itself = (text: string): string => text;

test("a name that starts with it comes before one that contains it, before letters apart", () => {
  const paths = ["p/r/o/mpt.md", "src/a-prompt.ts", "src/promptly/x.ts", "src/prompt.ts", "other.ts"];
  assert.deepEqual(bestOf("prompt", paths, itself), [
    "src/prompt.ts",
    "src/a-prompt.ts",
    "src/promptly/x.ts",
    "p/r/o/mpt.md",
  ]);
});

test("the last name of a path counts more than its folders", () => {
  const paths = ["x/tui/prompt.ts", "x/prompt-tui.ts", "x/tui/"];
  assert.deepEqual(bestOf("tui", paths, itself), ["x/tui/", "x/prompt-tui.ts", "x/tui/prompt.ts"]);
});

test("several words may come in any order, and case does not count", () => {
  assert.deepEqual(bestOf("TEST sto", ["store.test.ts", "store.ts", "test.ts"], itself), ["store.test.ts"]);
});

test("with nothing typed, the first ones stay in order", () => {
  assert.deepEqual(bestOf("  ", ["b", "a", "c"], itself, 2), ["b", "a"]);
});

test("what is offered contains the letters in order, and what is left out does not", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "漢", "."), maxLength: 12 });
  const word = fc.string({ unit: fc.constantFrom("a", "b", "漢"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(text), word, (texts, query) => {
      const contains = new RegExp([...query].join(".*"), "u");
      assert.deepEqual(
        bestOf(query, texts, itself).toSorted(),
        texts.filter((each) => contains.test(each)).toSorted(),
      );
    }),
  );
});
