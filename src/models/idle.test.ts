import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { alarm, watchIdle } from "./idle.ts";

test("silence ends the watch once, and every sign of life puts it off", async () => {
  const clock = fakeClock();
  let expired = 0;
  using watch = watchIdle(clock, 100, () => expired++);
  await clock.advance(99);
  watch.touch();
  await clock.advance(99);
  assert.equal(expired, 0);
  await clock.advance(1);
  assert.equal(expired, 1);
  await clock.advance(1000);
  assert.equal(expired, 1);
});

test("time in which the reader itself is away does not count", async () => {
  const clock = fakeClock();
  let expired = 0;
  using watch = watchIdle(clock, 100, () => expired++);
  watch.pause();
  await clock.advance(1050);
  watch.resume();
  await clock.advance(99);
  assert.equal(expired, 0);
  await clock.advance(1);
  assert.equal(expired, 1);
});

test("a watch that is over neither expires nor sleeps on", async () => {
  const clock = fakeClock();
  let expired = 0;
  watchIdle(clock, 100, () => expired++)[Symbol.dispose]();
  await clock.advance(1000);
  assert.deepEqual([expired, clock.pending()], [0, 0]);
});

test("an alarm rings once, or never when it is put away", async () => {
  const clock = fakeClock();
  let rung = 0;
  alarm(clock, 100, () => rung++);
  alarm(clock, 50, () => rung++)[Symbol.dispose]();
  await clock.advance(1000);
  assert.deepEqual([rung, clock.pending()], [1, 0]);
});

test("a watch in a hurry expires sooner, also when it was asleep", async () => {
  const clock = fakeClock();
  let expired = 0;
  using watch = watchIdle(clock, 1000, () => expired++);
  await clock.advance(50);
  watch.setLimit(100);
  await clock.advance(49);
  assert.equal(expired, 0);
  await clock.advance(1);
  assert.equal(expired, 1);
});
