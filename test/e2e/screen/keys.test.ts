import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Key, bytesOf } from "./keys.ts";

const old = { applicationCursor: false, kitty: 0 };
const kitty = { applicationCursor: false, kitty: 1 };
const withReleases = { applicationCursor: false, kitty: 7 };

const rows: readonly (readonly [key: Key, old: string, kitty: string])[] = [
  ["a", "a", "a"],
  ["shift+a", "A", "A"],
  ["enter", "\r", "\r"],
  ["shift+enter", "\r", "\u001b[13;2u"],
  ["alt+enter", "\u001b\r", "\u001b[13;3u"],
  ["ctrl+c", "\u0003", "\u001b[99;5u"],
  ["ctrl+/", "\u001f", "\u001b[47;5u"],
  ["alt+b", "\u001bb", "\u001b[98;3u"],
  ["tab", "\t", "\t"],
  ["shift+tab", "\u001b[Z", "\u001b[9;2u"],
  ["escape", "\u001b", "\u001b[27u"],
  ["backspace", "\u007f", "\u007f"],
  ["ctrl+space", "\0", "\u001b[32;5u"],
  ["up", "\u001b[A", "\u001b[A"],
  ["ctrl+right", "\u001b[1;5C", "\u001b[1;5C"],
  ["pageup", "\u001b[5~", "\u001b[5~"],
  ["alt+delete", "\u001b[3;3~", "\u001b[3;3~"],
];

describe("keys", () => {
  for (const [key, before, now] of rows) {
    test(`${key} is sent as terminals send it`, () => {
      assert.equal(bytesOf(key, old), before);
      assert.equal(bytesOf(key, kitty), now);
    });
  }

  test("arrows change when the program asks for application keys", () => {
    const asked = { applicationCursor: true, kitty: 0 };
    assert.equal(bytesOf("up", asked), "\u001bOA");
    assert.equal(bytesOf("shift+up", asked), "\u001b[1;2A");
    assert.equal(bytesOf("pageup", asked), "\u001b[5~");
  });

  test("what is named by number is released too when the program asks for that, and text is not", () => {
    assert.equal(bytesOf("ctrl+c", withReleases), "\u001b[99;5u\u001b[99;5:3u");
    assert.equal(bytesOf("escape", withReleases), "\u001b[27u\u001b[27;1:3u");
    assert.equal(bytesOf("down", withReleases), "\u001b[B\u001b[1;1:3B");
    assert.equal(bytesOf("enter", withReleases), "\r");
    assert.equal(bytesOf("x", withReleases), "x");
  });
});
