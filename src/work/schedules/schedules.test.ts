import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Timing } from "../../core/work/work.ts";
import { type Situation, beginning, fates } from "./fate.ts";
import { instantsBetween, nextAfter, upcoming } from "./instants.ts";
import { durationMs, parseWhen } from "./when.ts";

const now = Date.UTC(2026, 0, 1, 12);
const at = (iso: string): number => Date.parse(iso);
const berlin = { now, zone: "Europe/Berlin" };

describe("when something is due", () => {
  test("is a length of time from now, once or again and again", () => {
    assert.deepEqual(parseWhen("in 30m", berlin), { kind: "once", at: now + 1_800_000 });
    assert.deepEqual(parseWhen("every  2 hours", berlin), { kind: "every", ms: 7_200_000, from: now });
    assert.equal(durationMs("1h30m"), 5_400_000);
    assert.equal(durationMs("day"), 86_400_000);
    for (const wrong of ["", "m", "30", "30s", "1h 30 x", "-1h"]) assert.equal(durationMs(wrong), undefined);
  });

  test("is a time, which is meant in the zone unless it says its offset", () => {
    assert.deepEqual(parseWhen("2026-07-01T09:00", berlin), { kind: "once", at: at("2026-07-01T07:00Z") });
    assert.deepEqual(parseWhen("2026-01-02 09:00", berlin), { kind: "once", at: at("2026-01-02T08:00Z") });
    assert.deepEqual(parseWhen("2026-01-02T09:00Z", berlin), { kind: "once", at: at("2026-01-02T09:00Z") });
    assert.deepEqual(parseWhen("2028-02-29T09:00Z", berlin), { kind: "once", at: at("2028-02-29T09:00Z") });
    assert.deepEqual(parseWhen("2026-01-02", berlin), { kind: "once", at: at("2026-01-01T23:00Z") });
  });

  test("is a cron expression of five parts", () => {
    const expected = { kind: "cron", expression: "0 9 * * 1-5", zone: "Europe/Berlin" };
    assert.deepEqual(parseWhen(" 0 9 * * 1-5 ", berlin), expected);
  });

  test("is nothing else, and what is wrong is said", () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ["tomorrow", /is no time; write "in 30m"/],
      ["0 0 9 * * *", /is no time/],
      ["61 * * * *", /is no time/],
      ["0 0 30 2 *", /never comes/],
      ["every 10s", /is no length of time/],
      ["every 0m", /a minute is the shortest/],
      ["in 500d", /a year is the longest/],
      ["2020-01-01", /is over/],
      ["2026-13-45", /is no time/],
      ["2027-02-30T09:00", /"2027-02-30T09:00" is no time/],
      ["2027-02-29", /is no time/],
      ["2026-04-31 09:00", /is no time/],
      ["2026-06-31T09:00Z", /is no time/],
    ];
    for (const [text, problem] of wrong) {
      const parsed = parseWhen(text, berlin);
      assert.ok("problem" in parsed, text);
      assert.match(parsed.problem, problem);
    }
    assert.deepEqual(parseWhen("in 1h", { now, zone: "No/Where" }), {
      problem: 'there is no time zone "No/Where"',
    });
  });
});

describe("the instants of a schedule", () => {
  test("follow from it alone", () => {
    const every: Timing = { kind: "every", ms: 60_000, from: now };
    assert.deepEqual(
      instantsBetween(every, now, now + 180_000, 10),
      [1, 2, 3].map((n) => now + n * 60_000),
    );
    assert.equal(nextAfter(every, now - 86_400_000), now + 60_000, "none before it was made");
    assert.deepEqual(upcoming({ kind: "once", at: now }, now - 1, 3), [now]);
    assert.deepEqual(upcoming({ kind: "once", at: now }, now, 3), []);
    assert.equal(instantsBetween(every, now, now + 1e9, 5).length, 5);
  });

  test("are one a day for one time of the day, also when clocks are changed", () => {
    const daily: Timing = { kind: "cron", expression: "30 2 * * *", zone: "Europe/Berlin" };
    const iso = (from: string): readonly string[] =>
      upcoming(daily, at(from), 3).map((instant) => new Date(instant).toISOString().slice(0, 16));
    assert.deepEqual(iso("2026-03-28T00:00Z"), ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]);
    assert.deepEqual(iso("2026-10-24T00:00Z"), ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]);
  });
});

describe("what becomes of instants that are due", () => {
  const usual: Situation = { now, catchUp: "once", overlap: "skip", isRunning: false, isPaused: false };
  const [long, hour, fresh] = [now - 7_200_000, now - 3_600_000, now - 1000] as const;
  const states = (instants: readonly number[], also: Partial<Situation> = {}): readonly string[] =>
    fates(instants, { ...usual, ...also }).map(({ state }) => state);

  test("is a run, and of those that were missed one is made up for, unless one runs anyway", () => {
    assert.deepEqual(fates([fresh], usual), [{ instant: fresh, state: "planned", lateMs: 1000 }]);
    assert.deepEqual(states([long, hour]), ["missed", "planned"]);
    assert.deepEqual(states([long, hour, fresh]), ["missed", "missed", "planned"]);
    assert.deepEqual(states([long, hour], { catchUp: "skip" }), ["missed", "missed"]);
    assert.deepEqual(states([long, hour, fresh], { catchUp: "ask" }), ["missed", "missed", "planned"]);
  });

  test("is no run while one goes on, unless they are to wait for each other", () => {
    assert.deepEqual(states([fresh], { isRunning: true }), ["skipped"]);
    assert.deepEqual(states([fresh, now], {}), ["planned", "skipped"]);
    assert.deepEqual(states([fresh, now], { isRunning: true, overlap: "queue" }), ["planned", "planned"]);
    assert.deepEqual(states([hour], { isRunning: true }), ["skipped"]);
  });

  test("is nothing while all work is paused, and each says so", () => {
    assert.deepEqual(states([long, fresh], { isPaused: true }), ["skipped", "skipped"]);
    for (const fate of fates([long, hour, fresh], { ...usual, catchUp: "ask" }))
      if (fate.state !== "planned") assert.match(fate.reason, /no host was running then/);
  });

  test("begins at the same moment whoever asks, within what it may be late", () => {
    const all = Array.from({ length: 200 }, (_, n) => beginning("sch_1", now + n * 60_000, 30_000) - now);
    for (const [n, late] of all.entries()) assert.ok(late >= n * 60_000 && late < n * 60_000 + 30_000);
    assert.ok(new Set(all.map((late, n) => late - n * 60_000)).size > 100);
    assert.equal(beginning("sch_1", now, 30_000), beginning("sch_1", now, 30_000));
    assert.equal(beginning("sch_1", now, 0), now);
  });
});
