import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, orderIn } from "./order.ts";

test("what is lost, doubled, strange, out of order or too little is told", () => {
  const order = ["word1", "answer1", "word2", "paper2", "answer2", "word3", "cut3"];
  const told = (seen: readonly string[], turns = 0): readonly string[] =>
    differences("it", order, seen, turns);
  assert.deepEqual(told(order, 3), []);
  assert.deepEqual(told(order.slice(2), 2), []);
  assert.deepEqual(told(order.toSpliced(3, 1)), ["it: lost paper2"]);
  assert.deepEqual(told(order.slice(0, -1)), ["it: lost cut3"]);
  assert.deepEqual(told([...order, "word2"]), ["it: doubled word2"]);
  assert.deepEqual(told([...order, "answer3"]), ["it: answer3 is not in the log"]);
  assert.match(
    told(["word1", "answer1", "paper2", "word2", ...order.slice(4)])[0] ?? "",
    /^it: order: paper2 /,
  );
  assert.deepEqual(told(order.slice(3)), ["it: begins with paper2, in the middle of a turn"]);
  assert.deepEqual(told(order.slice(2), 3), ["it: shows 2 turns instead of at least 3"]);
  assert.equal(told([]).length, order.length);
});

test("a screen is read as a person reads it: what was set aside was not said", () => {
  const screen = `› word1

This is answer1 to you.
› word2
  set aside, not sent
✓ read_file paper3.txt
· interrupted; what was finished is kept`;
  assert.deepEqual(orderIn(screen), ["word1", "answer1", "paper3", "cut1"]);
});
