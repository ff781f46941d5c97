import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { keysOf, typed } from "./typing.ts";

// oxlint-disable-next-line no-control-regex -- these are what must not come through
const steering = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

test("nothing that steers a terminal is left of a text, and cleaning twice changes nothing more", () => {
  const char = fc.oneof(
    fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom("\u001B", "[", "]", "m", "\t", "\r", "\u009B"),
  );
  fc.assert(
    fc.property(fc.array(char, { maxLength: 30 }), (chars) => {
      const text = typed(chars.join(""));
      assert.doesNotMatch(text, steering);
      assert.equal(typed(text), text);
    }),
  );
});

test("ordinary text stays as it is, in every script", () => {
  const text = "Größe 漢字 שלום مرحبا 👩‍🚀 e\u0301\nsecond line";
  assert.equal(typed(text), text);
});

test("keys stay keys", () => {
  for (const key of [
    "a",
    "漢",
    "\r",
    "\t",
    "\u007F",
    "\u0003",
    "\u001B",
    "\u001B[A",
    "\u001B[3~",
    "\u001B[97;5u",
    "\uD83D",
  ])
    assert.equal(keysOf(key), key);
});

test("a paste keeps its brackets and loses what steers", () => {
  assert.equal(keysOf("\u001B[200~a\u001B[31mb\u001B[201~"), "\u001B[200~ab\u001B[201~");
  assert.equal(keysOf("\u001B[200~a:3u\u001B[201~"), "\u001B[200~a:3u\u001B[201~");
});

test("the end of a paste inside of a paste does not end it", () => {
  assert.equal(keysOf("\u001B[200~a\u001B[201~\rb\u001B[201~"), "\u001B[200~a\nb\u001B[201~");
});
