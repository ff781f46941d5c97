import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import type { NotificationFrame, RequestFrame } from "./frame.ts";
import { parking } from "./parking.ts";
import type { Parking } from "./parking.ts";

describe("parked frames", () => {
  test("are taken once, in order, and by their thread alone", () => {
    const { parked } = start();
    parked.add("T", note(1), 10);
    parked.add("U", note(2), 10);
    parked.add("T", note(3), 10);
    assert.deepEqual(numbers(parked, "T"), [1, 3]);
    assert.deepEqual(numbers(parked, "T"), []);
    assert.deepEqual(numbers(parked, "U"), [2]);
    assert.equal(parked.dropped, 0);
  });

  test("that are notifications are bounded in number and size: the oldest go first", () => {
    const { parked } = start();
    for (let n = 0; n < 600; n += 1) parked.add("many", note(n), 10);
    for (let n = 0; n < 20; n += 1) parked.add("large", note(n), 100_000);
    assert.deepEqual(numbers(parked, "many").slice(0, 2), [88, 89]);
    assert.deepEqual(numbers(parked, "large"), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    assert.equal(parked.dropped, 88 + 10);
  });

  test("are bounded over all threads: those of the oldest thread go first", () => {
    const { parked } = start();
    for (let thread = 0; thread < 10; thread += 1) parked.add(String(thread), note(thread), 1024 * 1024);
    assert.deepEqual(numbers(parked, "0"), []);
    assert.deepEqual(numbers(parked, "1"), []);
    assert.deepEqual(numbers(parked, "2"), [2]);
    assert.equal(parked.dropped, 2);
  });

  test("that nobody came for are gone after half a minute, but not the newer ones", async () => {
    const { parked, clock } = start();
    parked.add("T", note(1), 10);
    await clock.advance(20_000);
    parked.add("T", note(2), 10);
    await clock.advance(15_000);
    parked.add("U", note(3), 10);
    assert.deepEqual(numbers(parked, "T"), [2]);
  });
});

describe("a parked request", () => {
  test("is kept when notifications are dropped around it", () => {
    const { parked } = start();
    const answers: string[] = [];
    parked.add("T", request(answers), 2 * 1024 * 1024);
    for (let n = 0; n < 600; n += 1) parked.add("T", note(n), 10_000);
    for (let n = 0; n < 12; n += 1) parked.add(`other ${n}`, note(n), 1024 * 1024);
    assert.equal(parked.take("T")[0]?.frame.kind, "request");
    assert.deepEqual(answers, []);
  });

  test("is refused after two seconds, and gone", async () => {
    const { parked, clock } = start();
    const answers: string[] = [];
    parked.add("T", note(1), 10);
    parked.add("T", request(answers), 10);
    await clock.advance(1_999);
    assert.deepEqual(answers, []);
    await clock.advance(1);
    assert.deepEqual(answers, ["-32603"]);
    assert.deepEqual(numbers(parked, "T"), [1]);
  });

  test("that was taken is not refused", async () => {
    const { parked, clock } = start();
    const answers: string[] = [];
    parked.add("T", request(answers), 10);
    assert.equal(parked.take("T").length, 1);
    await clock.advance(10_000);
    assert.deepEqual(answers, []);
    assert.equal(clock.pending(), 0);
  });
});

function start() {
  const clock = fakeClock();
  return { clock, parked: parking(clock) };
}

const note = (n: number): NotificationFrame => ({
  kind: "notification",
  method: "item/started",
  params: { n },
});

const request = (answers: string[]): RequestFrame => ({
  kind: "request",
  id: 0,
  method: "item/tool/call",
  params: {},
  respond: () => void answers.push("answered"),
  fail: (code) => void answers.push(String(code)),
});

const numbers = (parked: Parking, thread: string): number[] =>
  parked.take(thread).map(({ frame }) => (frame.params as { n: number }).n);
