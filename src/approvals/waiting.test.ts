import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { waitForDecision, openQuestions } from "./waiting.ts";
import { localOwner } from "../core/principal.ts";

const wait = (now?: () => number) => {
  const clock = fakeClock();
  const stop = new AbortController();
  const questions = openQuestions();
  let row: string | undefined;
  let looks = 0;
  const waiter = questions.open("q", localOwner("cli"), stop.signal);
  const ended = waitForDecision<string>({
    clock: now === undefined ? clock : { ...clock, now },
    signal: stop.signal,
    expiresAt: clock.now() + 3000,
    timeoutMs: 3000,
    isFollowed: () => false,
    arrived: () => {},
    postpone: async () => {},
    waiter,
    look: async () => {
      looks += 1;
      return row;
    },
    close: async (how) => void (row ??= how),
  }).finally(() => waiter[Symbol.dispose]());
  return { clock, stop, questions, ended, decide: (how: string) => (row = how), looks: () => looks };
};

test("somebody else's decision is seen within a second, and one of this process at once", async () => {
  const far = wait();
  await far.clock.advance(500);
  far.decide("once");
  await far.clock.advance(499);
  assert.equal(far.looks(), 1);
  await far.clock.advance(1);
  assert.equal(await far.ended, "once");

  const near = wait();
  await near.clock.advance(500);
  near.decide("once");
  near.questions.wake("q");
  assert.equal(await near.ended, "once");
  assert.equal(near.clock.pending(), 0);
});

test("a clock that is put back does not keep a question open", async () => {
  const { clock, ended } = wait(() => 0);
  await clock.advance(3000);
  assert.equal(await ended, "expired");
});

test("a clock that jumps ahead ends it at the next look", async () => {
  let now = 0;
  const { clock, ended } = wait(() => now);
  await clock.advance(10);
  now = Number.MAX_SAFE_INTEGER;
  await clock.advance(1000);
  assert.equal(await ended, "expired");
});

test("a question counts as waited for until the turn is stopped or it is closed", async () => {
  const { questions, stop, ended } = wait();
  assert.equal(questions.askerOf("q")?.surface, "cli");
  stop.abort();
  assert.equal(questions.askerOf("q"), undefined);
  assert.equal(await ended, "withdrawn");
  questions.wake("q");
  assert.equal(questions.askerOf("other"), undefined);
});
