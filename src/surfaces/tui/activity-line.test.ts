import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type ActivityState, activityLine } from "./activity-line.ts";
import { makeTheme } from "./theme.ts";
import { anyText, assertSafe, plain } from "./transcript/view-bench.suite.ts";

const theme = makeTheme(true);
const read = (state: Partial<ActivityState>, width = 80): string =>
  plain(activityLine({ since: 1_000, now: 13_000, queued: 0, ...state }, theme, width));

test("it says what goes on, how long, and how to stop it", () => {
  assert.equal(read({}), "⠋ thinking · 12 s · Ctrl+C stops");
  assert.equal(read({ status: { state: "tool" }, queued: 2 }), "⠋ working · 12 s · 2 queued · Ctrl+C stops");
  assert.equal(
    read({
      status: { state: "retrying", text: "The provider is overloaded; trying again in 8 s" },
      now: 3_800_100,
    }),
    "⠙ The provider is overloaded; trying again in 8 s · 1 h 3 min · Ctrl+C stops",
  );
});

test("on a narrow screen the time stays longest", () => {
  assert.equal(read({}, 24), "⠋ thinking · 12 s");
  assert.equal(read({}, 10), "⠋ thinking");
  assert.equal(read({ status: { state: "compacting" } }, 24), "⠋ shortening the… · 12 s");
});

test("it moves with the time", () => {
  assert.notEqual(read({ now: 13_000 }), read({ now: 13_100 }));
});

test("anything fits any width on one line", () => {
  fc.assert(
    fc.property(anyText(20), fc.integer({ min: 1, max: 120 }), fc.nat(), (text, width, queued) => {
      const line = activityLine(
        { since: 0, now: 5, queued, status: { state: "waiting", text } },
        theme,
        width,
      );
      assertSafe([line], width);
    }),
  );
});
