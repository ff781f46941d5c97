import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSince } from "./since.ts";

const now = Date.UTC(2026, 2, 10, 12);
const hour = 3_600_000;

test("a time is a number of hours, days or weeks, or a day", () => {
  assert.deepEqual(parseSince("24h", now), { at: now - 24 * hour, words: "in the last 24 hours" });
  assert.deepEqual(parseSince("1D", now), { at: now - 24 * hour, words: "in the last day" });
  assert.deepEqual(parseSince("2w", now), { at: now - 14 * 24 * hour, words: "in the last 2 weeks" });
  assert.deepEqual(parseSince("2026-01-31", now), { at: Date.UTC(2026, 0, 31), words: "since 2026-01-31" });
});

test("what is none is refused, also a day that no month has", () => {
  for (const word of ["", "soon", "7", "-1d", "1.5d", "2026-02-31", "2026-13-01", "2026-1-1"])
    assert.throws(() => parseSince(word, now), { name: "Refusal", code: "usage" }, word);
});
