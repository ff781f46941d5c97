import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { appliedDiff } from "./applied-diff.suite.ts";
import { lineDiff } from "./line-diff.ts";
import { unifiedDiff } from "./unified-diff.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at + 1}\n`);

describe("a unified diff", () => {
  test("shows a change with three lines around it, and far ones apart", () => {
    const after = numbers(30).with(4, "five\n").toSpliced(24, 1);
    assert.deepEqual(unifiedDiff("src/a.ts", numbers(30).join(""), after.join("")), {
      text: [
        "--- src/a.ts\n+++ src/a.ts\n",
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        "@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n",
      ].join(""),
      added: 1,
      removed: 2,
    });
  });

  test("of a new, an emptied and an unchanged file", () => {
    assert.equal(
      unifiedDiff("a", undefined, "x\ny\n").text,
      "--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n",
    );
    assert.equal(unifiedDiff("a", "x\n", "").text, "--- a\n+++ a\n@@ -1,1 +0,0 @@\n-x\n");
    assert.equal(unifiedDiff("a", undefined, "").text, "--- /dev/null\n+++ a\n");
    assert.deepEqual(unifiedDiff("a", "x\n", "x\n"), { text: "", added: 0, removed: 0 });
  });

  test("tells a missing last line end and a carriage return", () => {
    assert.equal(
      unifiedDiff("a", "x", "x\n").text,
      "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n",
    );
    assert.equal(unifiedDiff("a", "x\r\n", "x\n").text, "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\r\n+x\n");
  });

  test("cannot be forged by a file name", () => {
    assert.equal(
      unifiedDiff("a\n@@ -1 +1 @@", undefined, "x\n").text.split("\n")[1],
      '+++ "a\\n@@ -1 +1 @@"',
    );
  });

  test("applied to the old text gives the new one", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", "\r", " a", "\\ No", "@@", "-", "+"), { maxLength: 30 })
      .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(appliedDiff(before, unifiedDiff("f", before, after).text), after);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("the lines that differ", () => {
  test("are the fewest possible", () => {
    const line = fc.constantFrom("a", "b", "c");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (a, b) => {
        const differing = lineDiff(a, b)
          .filter(({ kind }) => kind !== "same")
          .reduce((sum, { lines }) => sum + lines.length, 0);
        assert.equal(differing, a.length + b.length - 2 * longestCommon(a, b));
      }),
      { numRuns: 1000 },
    );
  });

  test("are a replaced middle when there are very many, and still right", () => {
    const before = ["head\n", ...numbers(4000).map((line) => `old ${line}`), "tail\n"].join("");
    const after = ["head\n", ...numbers(4000).map((line) => `new ${line}`), "tail\n"].join("");
    const { text, added } = unifiedDiff("f", before, after);
    assert.equal(added, 4000);
    assert.equal(appliedDiff(before, text), after);
  });
});

/** By the table of all beginnings, which is too slow for files and plainly right. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [at, other] of b.entries()) {
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
