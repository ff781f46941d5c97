import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { systemClock } from "./clock.ts";
import type { Clock } from "./clock.ts";

const fake = fakeClock();
const clocks: readonly (readonly [string, Clock, (ms: number) => Promise<void>])[] = [
  ["system", systemClock, async () => {}],
  ["fake", fake, (ms) => fake.advance(ms)],
];

for (const [name, clock, advance] of clocks) {
  describe(`${name} clock`, () => {
    test("a sleep ends after its time", async () => {
      const before = clock.monotonic();
      const slept = clock.sleep(20, undefined, { hold: true });
      await advance(20);
      await slept;
      assert.ok(clock.monotonic() - before >= 19, `${clock.monotonic() - before} ms`);
    });

    test("an abort ends a sleep with the signal's reason", async () => {
      const stop = new AbortController();
      const slept = clock.sleep(60_000, stop.signal, { hold: true });
      stop.abort(new Error("enough"));
      await assert.rejects(slept, /enough/);
    });

    test("an aborted signal starts no sleep", async () => {
      await assert.rejects(clock.sleep(0, AbortSignal.abort(new Error("too late"))), /too late/);
    });

    test("an abort after the end changes nothing", async () => {
      const stop = new AbortController();
      const slept = clock.sleep(1, stop.signal, { hold: true });
      await advance(1);
      await slept;
      stop.abort();
    });
  });
}

test("the system clock counts milliseconds since 1970", () => {
  assert.ok(Math.abs(systemClock.now() - new Date().getTime()) < 1_000);
});

describe("fake clock", () => {
  test("time stands still until it is moved", async () => {
    const clock = fakeClock(5_000);
    assert.deepEqual([clock.now(), clock.monotonic()], [5_000, 0]);
    await clock.advance(250);
    assert.deepEqual([clock.now(), clock.monotonic()], [5_250, 250]);
  });

  test("sleeps end in the order of their times, equal ones in the order they began", async () => {
    const clock = fakeClock();
    const woke: string[] = [];
    void clock.sleep(30).then(() => woke.push("late"));
    void clock.sleep(10).then(() => woke.push("first"));
    void clock.sleep(10).then(() => woke.push("second"));
    await clock.advance(30);
    assert.deepEqual(woke, ["first", "second", "late"]);
  });

  test("a sleep begun by a woken one ends in the same advance, at its own time", async () => {
    const clock = fakeClock(0);
    const seen: number[] = [];
    const job = async () => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(10);
        seen.push(clock.now());
      }
    };
    void job();
    await clock.advance(25);
    assert.deepEqual(seen, [10, 20]);
    assert.equal(clock.pending(), 1);
    assert.equal(clock.now(), 25);
  });

  test("an aborted sleep is no longer pending", async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const slept = clock.sleep(10, stop.signal);
    assert.equal(clock.pending(), 1);
    stop.abort(new Error("off"));
    assert.equal(clock.pending(), 0);
    await assert.rejects(slept, /off/);
  });
});
