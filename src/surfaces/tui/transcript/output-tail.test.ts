import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import { outputTail } from "./output-tail.ts";
import { anyText, assertSafe } from "./view-bench.suite.ts";

const after = (...pieces: readonly string[]): readonly string[] => {
  const tail = outputTail(8);
  for (const piece of pieces) tail.push(piece);
  return tail.lines();
};

test("the last lines stay, the one that is still written among them, and all are counted", () => {
  const tail = outputTail(3);
  for (let at = 1; at <= 10_000; at += 1) tail.push(`line ${at}\n`);
  tail.push("not yet ended");
  assert.deepEqual(tail.lines(), ["line 9999", "line 10000", "not yet ended"]);
  assert.equal(tail.count(), 10_001);
});

test("a progress bar is one line, however its pieces come", () => {
  assert.deepEqual(after("10%\r", "50%\r", "100%\n"), ["100%"]);
  assert.deepEqual(after("start\n10%\r50%"), ["start", "50%"]);
});

test("CR LF ends a line, even when it comes in two pieces", () => {
  assert.deepEqual(after("one\r", "\ntwo\r\r\n"), ["one", "two"]);
});

test("what waits behind a lone CR still stands there until more comes", () => {
  assert.deepEqual(after("50%\r"), ["50%"]);
});

test("colours, cursor movements, titles and links leave nothing but their words", () => {
  assert.deepEqual(
    after(
      "\u001B[1;32mok\u001B[0m \u001B[2K\u001B]0;title\u0007done \u001B]8;;http://x\u001B\\here\u001B]8;;\u001B\\",
    ),
    ["ok done here"],
  );
});

test("a sequence that is cut into pieces anywhere leaves nothing either", () => {
  const text = "a\u001B[38;5;12mb\u001B]0;title\u0007c\u001B(Bd\u001B]8;;http://x\u001B\\e\r\nf";
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
      assert.deepEqual(after(...pieces), ["abcde", "f"]);
    }),
  );
});

test("a backspace takes back what stands before it", () => {
  assert.deepEqual(after("|\b/\b-\bdone"), ["done"]);
});

test("of a line without end the beginning is kept and the rest is counted", () => {
  const tail = outputTail(2);
  for (let at = 0; at < 1_000; at += 1) tail.push("x".repeat(1_000));
  const [line = ""] = tail.lines();
  assert.ok(line.length < 4_100);
  assert.match(line, /^x{4000} … 996,000 more characters$/);
});

test("a sequence that never ends does not hold everything back", () => {
  const tail = outputTail(2);
  tail.push(`\u001B]0;${"x".repeat(10_000)}\nend`);
  assert.equal(tail.lines().at(-1), "end");
});

test("nothing that steers a terminal is left, whatever was printed", () => {
  fc.assert(
    fc.property(fc.array(anyText(20), { maxLength: 5 }), (pieces) => {
      assertSafe(after(...pieces), Infinity);
    }),
  );
});
