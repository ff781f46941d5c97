import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { appliedDiff } from "./applied-diff.suite.ts";
import { type PatchEdit, applyEdits } from "./patch-edits.ts";
import { patchTool } from "./patch.ts";
import { toolBench } from "../tool-bench.suite.ts";
import { unifiedDiff } from "./unified-diff.ts";

const bench = () => toolBench([patchTool]);

describe("patch", () => {
  test("asks with the diff of all edits, then makes them", async () => {
    await using at = await bench();
    await writeFile(join(at.cwd, "a.txt"), "one\ntwo\nthree\n", { mode: 0o640 });
    const edits = [
      { old: "two", new: "2" },
      { old: "2\nthree", new: "2\n3" },
    ];
    const diff = "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+3\n";
    assert.deepEqual(await at.call("patch", { path: "a.txt", edits }), {
      ok: true,
      output: "Changed a.txt (+2 -2 lines).",
      diff,
    });
    const path = join(at.cwd, "a.txt");
    const [question] = at.asked;
    assert.equal(question?.summary, "patch a.txt (+2 -2 lines)");
    assert.deepEqual(question?.action, { kind: "change", changes: [{ path, kind: "update", diff }] });
    assert.equal(await readFile(path, "utf8"), "one\n2\n3\n");
    assert.equal((await stat(path)).mode & 0o777, 0o640);
  });

  test("makes no edit when one does not fit, and asks nobody", async () => {
    await using at = await bench();
    await writeFile(join(at.cwd, "a.txt"), "one\n");
    const edits = [
      { old: "one", new: "1" },
      { old: "one", new: "2" },
    ];
    const { ok, output } = await at.call("patch", { path: "a.txt", edits });
    assert.equal(ok, false);
    assert.match(output, /old of edit 2 does not occur in a\.txt.*none was made/s);
    assert.equal(await readFile(join(at.cwd, "a.txt"), "utf8"), "one\n");
    assert.deepEqual(at.asked, []);
  });

  test("does not change what is missing or not text", async () => {
    await using at = await bench();
    await mkdir(join(at.cwd, "folder"));
    await writeFile(join(at.cwd, "blob"), Buffer.from([0x61, 0xff]));
    const edits = [{ old: "a", new: "b" }];
    const answers = { missing: /no file missing.*write_file/, blob: /not UTF-8 text/, folder: /is a folder/ };
    for (const [path, answer] of Object.entries(answers)) {
      assert.match((await at.call("patch", { path, edits })).output, answer);
    }
    assert.deepEqual(at.asked, []);
  });

  test("outside the folder says whether the edits fit only after somebody allowed it", async () => {
    await using at = await bench();
    await writeFile(join(at.top, "secret.txt"), "password: hunter2\n");
    at.decision = { choice: "deny", why: "not_asked" };
    const fits = await at.call("patch", { path: "../secret.txt", edits: [{ old: "hunter2", new: "x" }] });
    const misses = await at.call("patch", { path: "../secret.txt", edits: [{ old: "hunter3", new: "x" }] });
    assert.deepEqual(fits, misses);
    assert.equal(at.asked.length, 2);
    assert.equal(at.asked[1]?.summary, `patch ${join(at.top, "secret.txt")} (details not available)`);
    at.decision = { choice: "once", why: "person" };
    const told = await at.call("patch", { path: "../secret.txt", edits: [{ old: "password: x", new: "y" }] });
    assert.match(told.output, /does not occur/);
  });
});

const result = (text: string, ...edits: readonly PatchEdit[]): string => {
  const made = applyEdits(text, edits, "a.txt");
  return "text" in made ? made.text : made.refused;
};

const plain = (part: string): string => part.replaceAll("\r\n", "\n");

describe("edits", () => {
  test("need a text that occurs once, and name the lines where it occurs", () => {
    assert.equal(
      result("x\ny\nx\n", { old: "x", new: "z" }),
      "old occurs 2 times in a.txt, at lines 1, 3. Give more of the lines around it, or set all to replace every one.",
    );
    assert.match(result("aaa", { old: "aa", new: "b" }), /occurs 2 times/);
    assert.match(
      result("x\n".repeat(20), { old: "x", new: "z" }),
      /lines 1, 2, 3, 4, 5, 6, 7, 8 and 12 more/,
    );
    assert.equal(result("x\ny\nx", { old: "x", new: "z", all: true }), "z\ny\nz");
    assert.equal(result("aaaa", { old: "aa", new: "b", all: true }), "bb");
  });

  test("that would change nothing are a mistake", () => {
    assert.match(result("a\r\n", { old: "a\n", new: "a\r\n" }), /are the same/);
  });

  test("that do not fit are told the nearest lines", () => {
    const text = "import a\n\nfunction add(a, b) {\n  return a + b;\n}\n";
    assert.equal(
      result(text, { old: "function add(a, b) {\n    return a + b;\n}", new: "" }),
      "old does not occur in a.txt. It has to be exactly as in the file, white space included.\nThe nearest lines differ in white space only:\n3\tfunction add(a, b) {\n4\t  return a + b;\n5\t}",
    );
    assert.match(result(text, { old: "\nfunction sub(a, b) {", new: "" }), /are:\n2\t\n3\tfunction add/);
    assert.match(result(text, { old: "4\t  return a + b;", new: "" }), /numbers that read_file puts/);
    assert.doesNotMatch(result(text, { old: "zzzzzzzz", new: "" }), /nearest/);
    assert.doesNotMatch(result("", { old: "\n\n", new: "" }), /nearest/);
  });

  test("keep the line ends of the file, whatever theirs are", () => {
    const crlf = "one\r\ntwo\r\nthree";
    assert.equal(result(crlf, { old: "one\ntwo", new: "1\n2\nx" }), "1\r\n2\r\nx\r\nthree");
    assert.equal(result(crlf, { old: "one\r\ntwo\r\n", new: "1\r\n" }), "1\r\nthree");
    assert.equal(result(crlf, { old: "three", new: "3\n4" }), "one\r\ntwo\r\n3\r\n4");
    assert.equal(result(crlf, { old: "\ntwo", new: "" }), "one\r\nthree");
    assert.equal(result("a\nb\r\nc\n", { old: "b\nc", new: "B\nC" }), "a\nB\r\nC\n");
    assert.equal(result("a\nb\r\nc\n", { old: "a\nb\n", new: "A\nB\n" }), "A\nB\nc\n");
    assert.equal(result("a\nb", { old: "a", new: "1\r\n2" }), "1\n2\nb");
    assert.equal(result("\uFEFFa\n", { old: "a", new: "b" }), "\uFEFFb\n");
  });

  test("leave all around them as it was, and the shown diff is what is written", () => {
    const piece = fc.constantFrom("a", "b", "\n", "\r\n", "é", " ", "x\ny");
    const text = fc.array(piece, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), text, fc.boolean(), (before, start, length, fresh, all) => {
        const from = start % before.length;
        const old = before.slice(from, from + 1 + (length % 12));
        const made = applyEdits(before, [{ old, new: fresh, all }], "a.txt");
        if ("refused" in made) return;
        const wanted = all
          ? plain(before).replaceAll(plain(old), () => plain(fresh))
          : plain(before).replace(plain(old), () => plain(fresh));
        assert.equal(plain(made.text), plain(wanted));
        const diff = unifiedDiff("a.txt", before, made.text).text;
        assert.equal(appliedDiff(before, diff), made.text);
      }),
      { numRuns: 5000 },
    );
  });
});
