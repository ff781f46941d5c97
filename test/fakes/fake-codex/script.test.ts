import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScript } from "./script.ts";

test("an empty script is whole", () => {
  const { version, turns, faults } = parseScript({});
  assert.deepEqual([version, turns, faults], ["0.166.0", [], []]);
});

const wrong: readonly (readonly [script: unknown, complaint: RegExp])[] = [
  [null, /script must be an object, not null/],
  [{ turn: [] }, /script has "turn"; known are version, seed/],
  [{ turns: {} }, /script\.turns must be a list/],
  [{ turns: [{}] }, /script\.turns\[0\]\.emit is missing/],
  [{ turns: [{ expect: "(", emit: [] }] }, /turns\[0\]\.expect is no regular expression/],
  [{ turns: [{ emit: [{ agnet: "hi" }] }] }, /emit\[0\] is none of the known steps \(agent, reasoning/],
  [{ turns: [{ emit: [{ agent: 3 }] }] }, /emit\[0\]\.agent must be a string, not 3/],
  [{ turns: [{ emit: [{ exec: { cmd: "x", exitcode: 1 } }] }] }, /exec has "exitcode"; known are cmd, cwd/],
  [
    { turns: [{ emit: [{ parallel: [{ silence: false }] }] }] },
    /parallel\[0\]\.silence must be true, not false/,
  ],
  [{ otherwise: [{ sleep: -1 }] }, /otherwise\[0\]\.sleep must be an integer of 0 or more/],
  [
    { turns: [{ emit: [{ patch: { changes: [{ path: "a", kind: "move", diff: "" }] } }] }] },
    /one of "add", "delete"/,
  ],
  [{ faults: [{ at: { event: "x" }, do: "explode" }] }, /there is no fault "explode"; known are sigkill/],
  [{ faults: [{ at: { event: "x" }, do: "exit" }] }, /"exit" needs a number, as in "exit:3"/],
  [{ faults: [{ at: { event: "x" }, do: "dup:2" }] }, /"dup" takes no argument/],
  [{ faults: [{ at: { when: 1 }, do: "dup" }] }, /faults\[0\]\.at is none of the known/],
  [{ faults: [{ at: { event: "x", n: "all" }, do: "dup" }] }, /faults\[0\]\.at\.n must be/],
];

for (const [script, complaint] of wrong)
  test(`a wrong script is refused: ${JSON.stringify(script)}`, () => {
    assert.throws(() => parseScript(script), complaint);
  });
