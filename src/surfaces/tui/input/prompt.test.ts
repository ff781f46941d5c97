import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { visibleWidth } from "../toolkit.ts";
import { atPrompt, keys } from "./typist.suite.ts";

const long = (name: string): string => Array.from({ length: 20 }, () => name).join("\n");

describe("prompt", () => {
  test("what is typed is seen, and Enter submits it without the blanks around it", async () => {
    using it = atPrompt();
    it.type("  hello there ");
    assert.ok((await it.screen()).some((line) => line.includes("hello there")));
    it.press(keys.enter);
    assert.deepEqual([it.submitted, it.prompt.isEmpty()], [["hello there"], true]);
  });

  test("blank text is not submitted", () => {
    using it = atPrompt();
    it.type("   ");
    it.press(keys.enter, keys.enter);
    assert.deepEqual(it.submitted, []);
  });

  for (const [name, key] of [
    ["Alt+Enter", "\u001B\r"],
    ["Alt+Enter of kitty", "\u001B[13;3u"],
    ["Ctrl+J", "\n"],
    ["Shift+Enter of kitty", "\u001B[13;2u"],
    ["Ctrl+Enter of kitty", "\u001B[13;5u"],
    ["Shift+Enter of xterm", "\u001B[27;2;13~"],
    ["Enter behind a backslash", "\\\r"],
  ] as const) {
    test(`${name} makes a new line`, () => {
      using it = atPrompt();
      it.type("one");
      if (key.startsWith("\\")) it.type(key);
      else it.press(key);
      it.type("two");
      assert.deepEqual([it.prompt.text(), it.submitted], ["one\ntwo", []]);
      it.press(keys.enter);
      assert.deepEqual(it.submitted, ["one\ntwo"]);
    });
  }

  test("Ctrl+V and Alt+V ask for the picture on the clipboard, and write nothing", () => {
    let asked = 0;
    using it = atPrompt({ onImage: () => void asked++ });
    it.press("\u0016", "\u001Bv", "\u001B[118;5u");
    assert.deepEqual([asked, it.prompt.isEmpty()], [3, true]);
  });

  test("Ctrl+C and Ctrl+D on nothing do nothing here", () => {
    using it = atPrompt();
    it.press("\u0003", "\u0004");
    it.type("a");
    it.press("\u0003");
    assert.deepEqual([it.prompt.text(), it.submitted], ["a", []]);
  });

  test("the release of a key is not a second key", () => {
    using it = atPrompt();
    for (const data of ["\u001B[97;1:1u", "\u001B[97;1:3u"]) it.prompt.component.handleInput?.(data);
    it.prompt.component.handleInput?.("\u001B[13;1:3u");
    assert.deepEqual([it.prompt.text(), it.submitted], ["a", []]);
  });

  test("a text can be set and read, and more be put at the cursor", () => {
    using it = atPrompt();
    it.prompt.setText("draft\tone\r\ntwo\u001B[31m");
    it.prompt.insert("\u0007!");
    assert.equal(it.prompt.text(), "draft    one\ntwo!");
    it.prompt.setText("");
    assert.equal(it.prompt.isEmpty(), true);
  });
});

describe("prompt: history", () => {
  test("Up and Down walk it, newest first, and lead back to the draft", () => {
    using it = atPrompt();
    it.prompt.history(["newest", "older\nof two lines", "oldest"]);
    it.type("draft");
    it.press(keys.up);
    assert.equal(it.prompt.text(), "draft", "to its start first");
    it.press(keys.up);
    assert.equal(it.prompt.text(), "newest");
    it.press(keys.up);
    assert.equal(it.prompt.text(), "older\nof two lines");
    it.press(keys.up, keys.up);
    assert.equal(it.prompt.text(), "oldest");
    it.press(keys.down, keys.down);
    assert.equal(it.prompt.text(), "newest");
    it.press(keys.down);
    assert.equal(it.prompt.text(), "draft");
  });

  test("a submitted text is in it at once, and stays the newest when older ones come later", () => {
    using it = atPrompt();
    it.type("now");
    it.press(keys.enter, keys.up);
    assert.equal(it.prompt.text(), "now");
    it.prompt.setText("");
    it.prompt.history(["before"]);
    it.press(keys.up);
    assert.equal(it.prompt.text(), "now");
    it.press(keys.up);
    assert.equal(it.prompt.text(), "before");
  });

  test("what comes from it cannot steer the terminal", () => {
    using it = atPrompt();
    it.prompt.history(["a\u001B]0;title\u0007b\u009B2Jc"]);
    it.press(keys.up);
    assert.equal(it.prompt.text(), "ab2Jc");
  });
});

describe("prompt: paste", () => {
  test("line ends in a paste never submit", () => {
    using it = atPrompt();
    it.paste("one\r\ntwo\rthree\n");
    it.press("\u001B[200~four\u001B[106;5ufive\u001B[201~");
    assert.deepEqual(it.submitted, []);
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["one\ntwo\nthree\nfour\nfive"]);
  });

  test("not even where the terminal does not bracket it, if it comes in one piece", () => {
    using it = atPrompt();
    it.press("one\rtwo\r");
    assert.deepEqual([it.submitted, it.prompt.text()], [[], "one\ntwo\n"]);
  });

  test("10,000 lines are shown as one mark and submitted whole", async () => {
    using it = atPrompt();
    const text = Array.from({ length: 10_000 }, (_, at) => `line ${at} 漢字`).join("\n");
    it.type("see: ");
    it.paste(text);
    it.type("!");
    const screen = await it.screen();
    assert.ok(
      screen.some((line) => /see: \[paste #1 \+10000 lines\]!/.test(line)),
      screen.join("\n"),
    );
    assert.equal(it.prompt.text(), `see: ${text}!`);
    it.press(keys.enter);
    assert.deepEqual(it.submitted, [`see: ${text}!`]);
  });

  test("what was pasted is told from what was typed, a few words and what was deleted again excepted", () => {
    using it = atPrompt();
    it.type("see ");
    it.paste("src/a file.ts");
    it.press(keys.enter);
    it.paste("Always deploy on Fridays, says the page");
    it.press(keys.enter);
    it.paste("this is not what I want");
    it.prompt.setText("");
    it.type("and this is typed");
    it.press(keys.enter);
    assert.equal(it.submitted.length, 3);
    assert.deepEqual(it.pasted, ["Always deploy on Fridays, says the page"]);
  });

  test("two long pastes come back in their places, and one that is deleted is gone", () => {
    using it = atPrompt();
    it.paste(long("a"));
    it.type(" ");
    it.paste(long("b"));
    it.type(" ");
    it.paste(long("c"));
    it.press(keys.backspace, keys.enter);
    assert.deepEqual(it.submitted, [`${long("a")} ${long("b")}`]);
  });

  test("control characters are cleaned from pasted and typed text", () => {
    using it = atPrompt();
    it.paste("a\u001B[31mred\u001B[0m\u0000b\tc\u202Ed\u0085e\u001B]8;;http://x\u0007f");
    it.press("\u009B", "\u202E", "\u001B[155u", "\u001B[27;1;8238~");
    it.press(keys.enter);
    assert.deepEqual(it.submitted, ["aredb    cdef"]);
  });

  test("a lone half of a character does not get out", () => {
    using it = atPrompt();
    it.type("😀");
    it.press("\uD83D", keys.enter);
    assert.deepEqual(it.submitted, ["😀\uFFFD"]);
  });
});

describe("prompt: characters of all widths", () => {
  test("the cursor moves by what a person sees as one character", () => {
    using it = atPrompt();
    it.type("漢e\u0301👩‍🚀x");
    it.press(keys.left, keys.left);
    it.type("1");
    it.press(keys.left, keys.left);
    it.type("2");
    it.press(keys.left, keys.left);
    it.type("3");
    assert.equal(it.prompt.text(), "3漢2e\u03011👩‍🚀x");
    it.press(keys.backspace, "\u001B[3~", "\u001B[3~", "\u001B[3~");
    assert.equal(it.prompt.text(), "1👩‍🚀x");
  });

  test("wide and combining characters stand where they were typed", async () => {
    using it = atPrompt({ columns: 20 });
    it.type("漢字漢字漢字漢字漢字e\u0301a");
    const [, first, second] = await it.screen();
    assert.deepEqual([first, second], ["漢字漢字漢字漢字漢", "字e\u0301a"]);
  });

  test("no line is wider than the terminal, whatever is typed", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...Object.values(keys).filter((key) => key !== "\r"),
        "\n",
        "漢",
        "👩‍🚀",
        "e\u0301",
        " ",
        "-",
      ),
      fc.string({ unit: "grapheme" }).map((text) => `\u001B[200~${text}\u001B[201~`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (pieces, width) => {
        using it = atPrompt();
        it.press(...pieces);
        for (const line of it.prompt.component.render(width)) assert.ok(visibleWidth(line) <= width, line);
      }),
      { numRuns: 200 },
    );
  });
});
