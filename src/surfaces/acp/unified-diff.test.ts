import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { unifiedDiff } from "../../tools/files/unified-diff.ts";
import { type Hunk, bareHunks, diffedFiles, otherSide } from "./unified-diff.ts";

const line = fc.constantFrom("a", "b", "-- c", "++ d", "@@ -1 +1 @@", "", "\r", "\\ e");
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));

const hunksOf = (diff: string): readonly Hunk[] => diffedFiles(diff)?.[0]?.hunks ?? [];

describe("a unified diff", () => {
  test("gives either text from the other", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const hunks = hunksOf(unifiedDiff("f", before, after).text);
        assert.equal(otherSide(before, hunks, "old"), after);
        assert.equal(otherSide(after, hunks, "fresh"), before);
      }),
    );
  });

  test("is read file by file, new and removed ones too, and each keeps its own words", () => {
    const [one, two] = [unifiedDiff("one", undefined, "1\n").text, unifiedDiff('t"wo', "2\n", "-- 3\n").text];
    const gone = "--- three\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-3\n";
    const files = diffedFiles(one + two + gone);
    assert.deepEqual(
      files?.map(({ before, after, source }) => [before, after, source]),
      [
        [undefined, "one", one],
        ['t"wo', 't"wo', two],
        ["three", undefined, gone],
      ],
    );
    assert.equal(otherSide("", files?.[0]?.hunks ?? [], "old"), "1\n");
    assert.equal(otherSide("", files?.[2]?.hunks ?? [], "fresh"), "3\n");
  });

  test("says nothing about a text that differs where it looks, and leaves the rest of it alone", () => {
    fc.assert(
      fc.property(text, text, fc.nat(40), (before, after, at) => {
        fc.pre(before !== after && before !== "");
        const hunks = hunksOf(unifiedDiff("f", before, after).text);
        const lines = before.split("\n");
        const changed = lines.with(at % lines.length, "something else").join("\n");
        const made = otherSide(changed, hunks, "old");
        assert.ok(made === undefined || made.includes("something else"));
      }),
    );
  });

  test("is not read when a part of it is missing", () => {
    fc.assert(
      fc.property(text, text, fc.nat(80), (before, after, at) => {
        const { text: diff } = unifiedDiff("f", before, after);
        const rows = diff.match(/[^\n]*\n/g) ?? [];
        fc.pre(rows.length > 0 && rows[at % rows.length]?.startsWith("\\") === false);
        const files = diffedFiles(rows.toSpliced(at % rows.length, 1).join(""));
        const made = files?.[0] === undefined ? undefined : otherSide(before, files[0].hunks, "old");
        assert.ok(made === undefined || made === after, "nothing is guessed");
      }),
    );
    for (const other of ["", "no diff", "--- a\n+++ b\n@@ -1,9 +1,9 @@\n x\n", "--- a\n+++ b\n[cut]\n"])
      assert.equal(diffedFiles(other), undefined);
  });

  test("may come without a header", () => {
    const diff = unifiedDiff("f", "a\nb\n", "a\nc\n").text;
    const bare = diff.split("\n").slice(2).join("\n");
    assert.deepEqual(bareHunks(bare), hunksOf(diff));
    for (const other of ["", "a\nc\n", `${bare}Moved to: g\n`]) assert.equal(bareHunks(other), undefined);
  });
});
