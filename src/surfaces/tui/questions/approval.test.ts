import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { approvalOf, bench, controls, keys, paste } from "./bench.suite.ts";

const diff = (lines: number): readonly string[] =>
  Array.from({ length: lines }, (_, at) => `    +line ${at + 1}`);

describe("an approval on the screen", () => {
  test("shows what is asked, what may be chosen, and how long", () => {
    const it = bench();
    it.ask();
    assert.equal(
      it.screen(),
      [
        "╭ May this be done?  300 s left",
        "│ command:",
        "│     rm -f x",
        "│ folder: /w",
        "│   1 allow once",
        "│   2 allow for this session",
        "│   3 always allow exactly this",
        "│   4 deny",
        "╰ press a number, then Enter · Escape, Enter: deny",
      ].join("\n"),
    );
  });

  test("shows nothing while nothing is asked, and takes no key", () => {
    const it = bench();
    assert.deepEqual(it.lines(), []);
    assert.equal(it.panel.open, false);
    assert.equal(it.panel.takes("1"), false);
  });

  for (const [name, typed, choice] of [
    ["1", ["1"], "once"],
    ["2", ["2"], "session"],
    ["3", ["3"], "always"],
    ["4", ["4"], "deny"],
    ["y", ["y"], "once"],
    ["Y", ["Y"], "once"],
    ["n", ["n"], "deny"],
    ["down", [keys.down], "once"],
    ["down down", [keys.down, keys.down], "session"],
    ["up", [keys.up], "deny"],
    ["right, left, left", [keys.right, keys.left, keys.left], "always"],
    ["tab", [keys.tab], "once"],
    ["shift+tab", [keys.shiftTab], "deny"],
    ["escape", [keys.escape], "deny"],
    ["1 and then 4", ["1", "4"], "deny"],
    ["kitty's 2", ["\u001B[50u"], "session"],
    ["kitty's shifted 2 of a French keyboard", ["\u001B[233:50;2u"], "session"],
    ["kitty's Escape", ["\u001B[27u"], "deny"],
  ] as const) {
    test(`${name} chooses ${choice}, and only Enter says it`, async () => {
      const it = bench();
      it.ask();
      await it.wait();
      await it.press(...typed);
      assert.deepEqual(it.told, []);
      assert.match(it.screen(), /▸/);
      await it.press(keys.enter);
      assert.deepEqual(it.told, [["apr_1", choice, "you"]]);
      assert.equal(it.prompt(), "");
    });
  }

  for (const [name, typed] of [
    ["a stray Enter", []],
    ["0", ["0"]],
    ["5", ["5"]],
    ["another letter", ["x"]],
    ["a number that other words follow", ["1", " ", "t"]],
    ["the release of a key", ["\u001B[49;1:3u"]],
    ["a pasted answer", [paste("1\r")]],
    ["a pasted number", [paste("1")]],
    ["two keys that came as one", ["1\r"]],
  ] as const) {
    test(`${name} answers nothing`, async () => {
      const it = bench();
      it.ask();
      await it.wait();
      await it.press(...typed, keys.enter);
      assert.deepEqual(it.told, []);
      assert.equal(it.panel.open, true);
      assert.equal(it.prompt(), "");
    });
  }

  test("offers and takes nothing but its own choices", async () => {
    const it = bench();
    it.ask(approvalOf({ choices: ["once"] }));
    await it.wait();
    await it.press("2", keys.enter, "n", keys.enter, keys.escape, keys.enter);
    assert.deepEqual(it.told, []);
    assert.doesNotMatch(it.screen(), /2 |session/);
  });

  test("is not answered by releases, and Ctrl+C is never for it", async () => {
    const it = bench();
    it.ask();
    await it.wait();
    await it.press("1", "\u001B[13;1:3u");
    assert.deepEqual(it.told, []);
    assert.equal(it.panel.takes(keys.ctrlC), false);
  });
});

describe("a long text", () => {
  test("cannot be allowed before its last line was shown, but it can be denied", async () => {
    const it = bench();
    it.ask(approvalOf({ shown: diff(300) }));
    await it.wait();
    assert.match(it.screen(), /├ lines 1–12 of 300\n/);
    assert.match(it.screen(), /PageDown to the last line, then it can be allowed/);
    for (const typed of ["1", "2", "3", "y"]) await it.press(typed, keys.enter);
    assert.match(it.screen(), /╰ not yet: it can be allowed once its last line was shown/);
    assert.deepEqual(it.told, []);
    await it.press(keys.right);
    assert.match(it.screen(), /▸ 4 deny/);
    await it.press(keys.enter);
    assert.deepEqual(it.told, [["apr_1", "deny", "you"]]);
  });

  test("can be allowed once it was scrolled through, wherever it stands then", async () => {
    const it = bench();
    it.ask(approvalOf({ shown: diff(300) }));
    await it.wait();
    const seen = new Set<string>();
    const look = (): void =>
      it
        .screen()
        .match(/line \d+$/gm)
        ?.forEach((line) => seen.add(line));
    for (
      let page = 0;
      !it.screen().includes("of 300\n│   1") || !it.screen().includes("line 300");
      page += 1
    ) {
      assert.ok(page < 40);
      look();
      await it.press("1", keys.enter);
      assert.deepEqual(it.told, []);
      await it.press(keys.pageDown);
    }
    look();
    assert.equal(seen.size, 300);
    await it.press(...Array<string>(50).fill(keys.pageUp));
    assert.match(it.screen(), /lines 1–/);
    assert.match(it.screen(), /press a number, then Enter/);
    await it.press("1", keys.enter);
    assert.deepEqual(it.told, [["apr_1", "once", "you"]]);
  });

  for (const [name, typed, place] of [
    ["down", [keys.down], "lines 2–13"],
    ["down down up", [keys.down, keys.down, keys.up], "lines 2–13"],
    ["up at the top", [keys.up], "lines 1–12"],
    ["PageDown", [keys.pageDown], "lines 12–23"],
    ["PageDown PageUp", [keys.pageDown, keys.pageUp], "lines 1–12"],
    ["Ctrl+D", [keys.ctrlD], "lines 7–18"],
    ["Ctrl+D Ctrl+D Ctrl+U", [keys.ctrlD, keys.ctrlD, keys.ctrlU], "lines 7–18"],
  ] as const)
    test(`${name} scrolls to ${place}`, async () => {
      const it = bench();
      it.ask(approvalOf({ shown: diff(300) }));
      await it.wait();
      await it.press(...typed);
      assert.ok(it.screen().includes(`├ ${place} of 300`), it.screen());
      assert.doesNotMatch(it.screen(), /▸/);
    });

  test("stays in view when the terminal becomes wider", async () => {
    const it = bench({ width: 20 });
    it.ask(approvalOf({ shown: diff(99).map((line) => `${line} and a few words more`) }));
    await it.wait();
    await it.press(...Array<string>(90).fill(keys.pageDown));
    it.size.width = 120;
    assert.match(it.screen(), /line 99 and a few words more\n├ lines 88–99 of 99\n/);
  });

  test("takes about half of a large screen", () => {
    const it = bench({ rows: 60 });
    it.ask(approvalOf({ shown: diff(300) }));
    assert.match(it.screen(), /lines 1–30 of 300/);
  });

  test("is not said to be shown on a screen that is too small for it", async () => {
    const it = bench({ rows: 8 });
    it.ask(approvalOf({ shown: diff(3) }));
    await it.wait();
    await it.press(...Array<string>(9).fill(keys.pageDown), "1", keys.enter);
    assert.deepEqual(it.told, []);
    assert.match(it.screen(), /make the terminal taller to allow it/);
    it.size.rows = 24;
    it.lines();
    await it.press("1", keys.enter);
    assert.deepEqual(it.told, [["apr_1", "once", "you"]]);
  });

  test("leaves room for the prompt on a terminal of 80 by 24, and moves together on a small one", () => {
    const it = bench();
    it.ask(approvalOf({ shown: diff(300) }));
    assert.ok(it.lines().length <= 24 - 5);
    it.size.rows = 10;
    assert.match(
      it.screen(),
      /│ 1 allow once {2}2 allow for this session {2}3 always allow exactly this {2}4 deny/,
    );
  });

  test("loses no character when lines are wrapped, and what goes on cannot pass for a label", () => {
    const it = bench({ width: 20, rows: 60 });
    const line = `    echo ${"a b".repeat(9)}日本語 sandbox: inside`;
    it.ask(approvalOf({ shown: [line, "sandbox: none"] }));
    const rows = it.screen().split("\n");
    const from = rows.findIndex((row) => row.includes("echo"));
    const to = rows.findIndex((row) => row.startsWith("│ sandbox: none"));
    assert.equal(
      rows
        .slice(from, to)
        .map((row) => row.slice(2))
        .join(""),
      line,
    );
    assert.deepEqual(new Set(rows.slice(from + 1, to).map((row) => row[0])), new Set(["┊"]));
  });

  test("breaks lines between words, and only a word that is longer than a line within itself", () => {
    const it = bench({ width: 20, rows: 60 });
    it.ask(approvalOf({ shown: ["git commit --message hello", `cd /${"x".repeat(30)} now`] }));
    assert.match(it.screen(), /│ git commit *\n┊ --message hello *\n│ cd \/x{14}\n┊ x{16} *\n┊ now\n/);
  });

  test("cannot steer the screen", () => {
    const it = bench();
    it.ask(approvalOf({ shown: ["a\u001B[2Jb\u0007\tc\nd"] }));
    assert.equal(controls(it.screen()), "");
    assert.match(it.screen(), /│ a�\[2Jb�    c\n┊ d\n/);
  });
});
