import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { parseDotEnv } from "./dotenv.ts";

const read = (text: string) => Object.fromEntries(parseDotEnv(text).values);

test("reads plain, quoted, exported and commented lines", () => {
  const text = [
    "\uFEFF# keys",
    "A=one",
    "export B = two # not this",
    "C='lit\\n #x'  # c",
    'D="line\\nbreak \\"q\\" \\$x \\z"',
    "E=",
    "F=a#b",
    "G= # nothing",
    "",
  ];
  assert.deepEqual(read(text.join("\r\n")), {
    A: "one",
    B: "two",
    C: "lit\\n #x",
    D: 'line\nbreak "q" $x \\z',
    E: "",
    F: "a#b",
    G: "",
  });
});

test("names the line of what it cannot read, and never repeats the text", () => {
  const { values, problems } = parseDotEnv('sk-secret\nA=\'open\nB="x" tail\nC=1\nC=2\n');
  assert.deepEqual(Object.fromEntries(values), { C: "2" });
  assert.deepEqual(
    problems.map(({ line, name }) => [line, name]),
    [
      [1, undefined],
      [2, "A"],
      [3, "B"],
      [5, "C"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(problems), /secret|open|tail/);
});

test("any text gives a result", () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.anyCharacter }),
    fc.constantFrom("\n", "\r", "=", "'", '"', "\\", "export ", "A=", "#", "\0", "\u2028"),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { values, problems } = parseDotEnv(pieces.join(""));
      assert.ok(values.size + problems.length <= pieces.join("").length);
    }),
  );
});

const quote = (value: string) =>
  `"${value
    .replace(/[\\"$]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")}"`;

test("a value in quotes comes back as it was written", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.anyCharacter }), (value) => {
      assert.deepEqual(read(`A=1\nKEY=${quote(value)} # end\nB=2`), { A: "1", KEY: value, B: "2" });
    }),
  );
});
