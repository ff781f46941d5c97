import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { leftBehind } from "./left-behind.ts";

const left = (written: string): readonly string[] => leftBehind({ raw: () => written });

describe("left behind", () => {
  test("a program that only writes text, colours and links leaves nothing", () => {
    assert.deepEqual(
      left("hello\r\n\u001b[1;32mgreen\u001b[0m \u001b]8;;http://a\u0007b\u001b]8;;\u0007\u0007"),
      [],
    );
  });

  for (const [name, on, off] of [
    ["alternate screen", "\u001b[?1049h", "\u001b[?1049l"],
    ["bracketed paste", "\u001b[?2004h", "\u001b[?2004l"],
    ["hidden cursor", "\u001b[?25l", "\u001b[?25h"],
    ["synchronized output", "\u001b[?2026h", "\u001b[?2026l"],
    ["kitty keyboard", "\u001b[>7u", "\u001b[<u"],
    ["modified keys", "\u001b[>4;2m", "\u001b[>4;0m"],
    ["mouse", "\u001b[?1000h", "\u001b[?1000l"],
    ["focus reports", "\u001b[?1004h", "\u001b[?1004l"],
    ["colour scheme reports", "\u001b[?2031h", "\u001b[?2031l"],
    ["title", "\u001b]0;Talaria\u0007", "\u001b]0;\u0007"],
    ["title", "\u001b[22;0t\u001b]2;Talaria\u001b\\", "\u001b[23;0t"],
    ["progress", "\u001b]9;4;3\u0007", "\u001b]9;4;0\u0007"],
    ["scroll region", "\u001b[2;10r", "\u001b[r"],
    ["cursor shape", "\u001b[5 q", "\u001b[0 q"],
    ["mode 12345", "\u001b[?12345h", "\u001b[?12345l"],
  ] as const) {
    test(`${name} is told unless ${JSON.stringify(off)} follows ${JSON.stringify(on)}`, () => {
      assert.deepEqual(left(`${on}text`), [name]);
      assert.deepEqual(left(`${on}text${off}`), []);
      assert.deepEqual(left(`${on}text\u001bc`), []);
      assert.deepEqual(left(`${on}${off}${on}`), [name]);
    });
  }

  test("several modes may stand in one sequence, and each push wants its pop", () => {
    assert.deepEqual(left("\u001b[?1000;1006;2004h\u001b[?2004l"), ["mouse", "mouse coordinates"]);
    assert.deepEqual(left("\u001b[>1u\u001b[>7u\u001b[<u"), ["kitty keyboard"]);
    assert.deepEqual(left("\u001b[>1u\u001b[>7u\u001b[<2u"), []);
  });
});
