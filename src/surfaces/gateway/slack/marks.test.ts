import assert from "node:assert/strict";
import { test } from "node:test";
import { newMarks } from "./marks.ts";

test("a channel was read as far as its newest message outside of threads, its threads each as far as theirs", () => {
  const marks = newMarks(
    new Map([
      ["C1", "10.000000"],
      ["C1/12.000000", "20.000000"],
      ["C1/5.000000", "30.000000"],
      ["D1", "40.000000"],
      ["D2", "no time"],
    ]),
  );
  assert.deepEqual(marks.channels(), [
    { id: "D1", newest: "40.000000", read: "40.000000", threads: [] },
    {
      id: "C1",
      newest: "30.000000",
      read: "12.000000",
      threads: [
        { thread: "5.000000", read: "30.000000" },
        { thread: "12.000000", read: "20.000000" },
      ],
    },
  ]);
});

test("a mark never goes back, and what is owed stays owed however much is read after it", () => {
  const marks = newMarks(new Map());
  marks.read("D1", "9.000000");
  marks.read("D1", "10.000000");
  marks.read("D1", "9.500000");
  assert.equal(marks.channel("D1")?.read, "10.000000");
  marks.owe("D1", "8.000000");
  marks.owe("D1", "9.000000");
  marks.read("D1", "11.000000");
  assert.deepEqual([marks.channel("D1")?.read, marks.channel("D1")?.owed], ["11.000000", "8.000000"]);
  marks.paid("D1");
  assert.equal(marks.channel("D1")?.owed, undefined);
});

test("of many threads those that were written in last are kept in mind", () => {
  const marks = newMarks(new Map());
  for (let thread = 1; thread <= 50; thread += 1) marks.read(`C1/${thread}.000000`, `${100 + thread}.000000`);
  assert.deepEqual(
    marks.channel("C1")?.threads.map(({ thread }) => thread),
    [50, 49, 48, 47, 46, 45, 44, 43, 42, 41].map((thread) => `${thread}.000000`),
  );
});
