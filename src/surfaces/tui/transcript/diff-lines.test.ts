import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { diffLines } from "./diff-lines.ts";
import { isDiff, parseDiff } from "./diff-parse.ts";
import { makeTheme } from "../theme.ts";
import { anyText, assertSafe, plain } from "./view-bench.suite.ts";

const theme = makeTheme(true);
const shown = (text: string, { width = 40, most = 40, wrap = false } = {}): string =>
  diffLines(text, theme, { width, most, wrap }).map(plain).join("\n");

const two = `--- a.ts
+++ a.ts
@@ -9,3 +9,4 @@
 before
-old
+new
+newer
 after
@@ -100,1 +101,1 @@
-x
+y
--- /dev/null
+++ b.ts
@@ -0,0 +1,1 @@
+fresh
\\ No newline at end of file
`;

test("a diff has a head for each file, the numbers of its lines, and a mark where some are left out", () => {
  assert.equal(
    shown(two),
    `a.ts +3 −2
  9  before
 10 -old
 10 +new
 11 +newer
 12  after
    ⋮
100 -x
101 +y
b.ts (new) +1 −0
1 +fresh`,
  );
});

test("what is added and removed has its colour", () => {
  const lines = diffLines(two, theme, { width: 40, most: 40, wrap: false });
  assert.ok(lines.some((line) => line.includes(theme.added("+newer"))));
  assert.ok(lines.some((line) => line.includes(theme.removed("-old"))));
});

test("a removed line that looks like a header is a removed line", () => {
  const [file] = parseDiff("--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- old comment\n same\n");
  assert.deepEqual(file, {
    path: "a.sql",
    what: "changed",
    added: 0,
    removed: 1,
    rows: [
      { kind: "removed", number: 1, text: "-- old comment" },
      { kind: "same", number: 1, text: "same" },
    ],
  });
});

test("what git writes is read: names, moves, deletions, binary files", () => {
  const files = parseDiff(`diff --git a/one.ts b/two.ts
similarity index 90%
rename from one.ts
rename to two.ts
index 111..222 100644
--- a/one.ts
+++ b/two.ts
@@ -1 +1 @@ function x()
-a
+b
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
`);
  assert.deepEqual(
    files.map(({ path, what, added, removed }) => [path, what, added, removed]),
    [
      ["one.ts → two.ts", "moved", 1, 1],
      ["gone.txt", "deleted", 0, 1],
      ["p.png", "changed", 0, 0],
    ],
  );
  assert.deepEqual(files[2]?.rows, [{ kind: "info", text: "Binary files a/p.png and b/p.png differ" }]);
});

test("a diff whose middle is missing is shown as far as it goes, without wrong numbers", () => {
  const text =
    "--- a\n+++ a\n@@ -1,9 +1,9 @@\n same\n[… 900 characters left out …]\n+more\n--- b\n+++ b\n@@ -5 +5 @@\n-x\n+y\n";
  assert.equal(
    shown(text),
    "a +1 −0\n1  same\n  [… 900 characters left out …]\n  +more\nb +1 −1\n5 -x\n5 +y",
  );
});

test("a long diff says how many lines it leaves out", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `+line ${at}`);
  const text = `--- /dev/null\n+++ long\n@@ -0,0 +1,100 @@\n${lines.join("\n")}\n`;
  assert.equal(
    shown(text, { most: 4 }),
    "long (new) +100 −0\n  1 +line 0\n  2 +line 1\n  3 +line 2\n… 97 more lines",
  );
});

test("a long line is cut, or broken under itself", () => {
  const text = `--- a\n+++ a\n@@ -1 +1 @@\n+${"word ".repeat(10)}\n`;
  assert.equal(shown(text).split("\n").length, 2);
  assert.deepEqual(shown(text, { wrap: true }).split("\n").slice(1), [
    "1 +word word word word word word word",
    "   word word word",
  ]);
});

test("only a unified diff passes for one", () => {
  assert.equal(isDiff(two), true);
  assert.equal(isDiff("+1 for this\n--- that"), false);
});

test("any text can be taken for a diff without a throw, and fits", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "--- a",
      "+++ b",
      "@@ -1,2 +1,2 @@",
      "@@ x @@",
      "+a",
      "-b",
      " c",
      "\\ No",
      "diff --git a/x b/y",
      "",
    ),
    anyText(30),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      fc.integer({ min: 11, max: 90 }),
      fc.boolean(),
      (lines, width, wrap) => {
        assertSafe(diffLines(lines.join("\n"), theme, { width, most: 30, wrap }), width);
      },
    ),
  );
});
