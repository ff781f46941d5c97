import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { parseSearch } from "./search-text.ts";
import { anyText } from "../suite/any-text.suite.ts";

const word = (text: string) => ({ text, prefix: false });
const start = (text: string) => ({ text, prefix: true });

describe("what a person types into search", () => {
  const cases: readonly [typed: string, clauses: ReturnType<typeof parseSearch>][] = [
    ["red green", [{ all: [word("red"), word("green")], none: [] }]],
    ['"red green" blue', [{ all: [word("red green"), word("blue")], none: [] }]],
    ['gre* "red gr"*', [{ all: [start("gre"), start("red gr")], none: [] }]],
    ["a AND b", [{ all: [word("a"), word("b")], none: [] }]],
    [
      "a b OR c",
      [
        { all: [word("a"), word("b")], none: [] },
        { all: [word("c")], none: [] },
      ],
    ],
    ['a NOT b NOT "c d" e', [{ all: [word("a"), word("e")], none: [word("b"), word("c d")] }]],
    ["and or not", [{ all: [word("and"), word("or"), word("not")], none: [] }]],
    ["AND a AND", [{ all: [word("a")], none: [] }]],
    ["OR a OR OR", [{ all: [word("a")], none: [] }]],
    ["a NOT", [{ all: [word("a")], none: [] }]],
    [
      "a NOT OR b",
      [
        { all: [word("a")], none: [] },
        { all: [word("b")], none: [] },
      ],
    ],
    ["NOT a", []],
    ['red "green', [{ all: [word("red"), word("green")], none: [] }]],
    ['"" * " "', []],
  ];
  for (const [typed, clauses] of cases) {
    test(`${typed} is understood`, () => assert.deepEqual(parseSearch(typed), clauses));
  }

  test("a pasted page is found by its beginning", () => {
    const [clause] = parseSearch("word ".repeat(1000));
    assert.equal(clause?.all.length, 32);
    const [long] = parseSearch("😀".repeat(1000));
    assert.deepEqual(long?.all, [start("😀".repeat(100))]);
    const [odd] = parseSearch(`x${"😀".repeat(1000)}`);
    assert.ok(odd?.all[0]?.text.isWellFormed());
  });

  test("no term is empty, too long, quoted or half a character", () => {
    fc.assert(
      fc.property(anyText, (typed) => {
        for (const { all, none } of parseSearch(typed)) {
          assert.ok(all.length > 0);
          for (const { text } of [...all, ...none]) {
            assert.ok(text.trim() !== "" && text.length <= 200 && text.isWellFormed());
            assert.doesNotMatch(text, /["\0]/u);
          }
        }
      }),
    );
  });
});
