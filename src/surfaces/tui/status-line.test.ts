import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type StatusState, statusLine } from "./status-line.ts";
import { makeTheme } from "./theme.ts";
import { anyText, assertSafe, plain } from "./transcript/view-bench.suite.ts";

const theme = makeTheme(true);
const full: StatusState = {
  model: "gpt-5",
  runtime: "codex",
  codexVersion: "0.166.0",
  context: { used: 92_480, window: 272_000 },
  cost: 0.12,
  queued: 2,
  yolo: true,
  title: "A friendlier greeting",
};
const read = (state: StatusState, width: number): string => plain(statusLine(state, theme, width));

test("everything is there when there is room", () => {
  assert.equal(
    read(full, 120),
    "gpt-5 · codex 0.166.0 · ▕██░░░░▏ 34% of 272k · $0.12 · 2 queued · yolo · A friendlier greeting",
  );
});

test("what matters least goes first", () => {
  assert.equal(read(full, 80), "gpt-5 · codex 0.166.0 · ▕██░░░░▏ 34% of 272k · $0.12 · 2 queued · yolo");
  assert.equal(read(full, 60), "gpt-5 · codex · ▕██░░░░▏ 34% of 272k · 2 queued · yolo");
  assert.equal(read(full, 40), "gpt-5 · 34% · 2 queued · yolo");
  assert.equal(read(full, 12), "gpt-5 · yolo");
  assert.equal(read(full, 4), "yolo");
  assert.equal(read({ ...full, hint: "Ctrl+C again leaves" }, 20), "Ctrl+C again leaves");
});

test("the loop has no version, and nothing unknown is shown", () => {
  assert.equal(read({ model: "m", runtime: "loop", codexVersion: "1", queued: 0 }, 80), "m · loop");
  assert.equal(read({ queued: 0 }, 80), "");
  assert.equal(
    read({ queued: 0, context: { used: 12_345 }, cost: 0.0012, recording: true }, 80),
    "12k tokens · $0.0012 · ● rec",
  );
});

for (const [percent, paint] of [
  [49, theme.good],
  [50, theme.warn],
  [79, theme.warn],
  [80, (text: string) => theme.strong(theme.warn(text))],
  [95, (text: string) => theme.strong(theme.bad(text))],
  [120, (text: string) => theme.strong(theme.bad(text))],
] as const) {
  test(`a context that is ${percent} % full has its colour`, () => {
    const line = statusLine({ queued: 0, context: { used: percent, window: 100 } }, theme, 80);
    const cells = Math.min(6, Math.round((percent / 100) * 6));
    assert.equal(line, paint(`▕${"█".repeat(cells)}${"░".repeat(6 - cells)}▏ ${percent}% of 100`));
  });
}

test("any state fits any width on one line", () => {
  const text = anyText(30);
  const state = fc.record(
    {
      model: text,
      runtime: fc.oneof(fc.constant("codex"), text),
      codexVersion: text,
      context: fc.record({ used: fc.double(), window: fc.double() }),
      cost: fc.double(),
      queued: fc.nat(),
      yolo: fc.boolean(),
      title: text,
      recording: fc.boolean(),
      hint: text,
    },
    { requiredKeys: ["queued"] },
  );
  fc.assert(
    fc.property(state, fc.integer({ min: 1, max: 200 }), (any, width) => {
      assertSafe([statusLine(any, theme, width)], width);
    }),
  );
});
