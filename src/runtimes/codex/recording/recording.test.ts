import assert from "node:assert/strict";
import { test } from "node:test";
import { captureLines, captureNames } from "../captures.suite.ts";
import { formatFrame, parseRecording } from "./recording.ts";

test("a recorded line is written again as the same bytes", () => {
  for (const name of captureNames) {
    for (const line of captureLines(name)) {
      const frame = parseRecording(line);
      assert.ok(frame !== undefined, line);
      assert.equal(formatFrame(frame), line);
    }
  }
});

test("a line that is no frame is none", () => {
  const lines = [
    "",
    "{",
    "[]",
    "null",
    '{"ms":"1","dir":"s>c","msg":{}}',
    '{"ms":1,"dir":"s>c"}',
    '{"ms":1,"dir":"x","msg":1}',
  ];
  assert.deepEqual(
    lines.map(parseRecording),
    lines.map(() => undefined),
  );
});

test("times are kept to a tenth of a millisecond", () => {
  assert.equal(formatFrame({ ms: 1.26, dir: "note", msg: "here" }), '{"ms":1.3,"dir":"note","msg":"here"}');
});
