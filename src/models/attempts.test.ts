import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { nothingTried, planRetry, type Situation } from "./attempts.ts";
import type { FailedEvent, Trouble } from "./model.ts";

const fault = { code: "overloaded", message: "It is full.", next: "Wait." } as const;
const failed = (trouble?: Trouble, retryAfterMs?: number): FailedEvent => ({
  type: "failed",
  fault,
  ...(trouble === undefined ? {} : { trouble }),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const situation = (more: Partial<Situation> = {}): Situation => ({
  tried: nothingTried,
  spentMs: 0,
  sealed: false,
  random: () => 0,
  ...more,
});

test("what asking again cannot help is not asked again", () => {
  assert.equal(planRetry(failed(), situation()), undefined);
  assert.equal(planRetry(failed("sealed"), situation()), undefined, "nothing sealed was sent");
});

test("a busy provider is given the time it asks for, up to a minute, and a little more", () => {
  assert.equal(planRetry(failed("busy", 60_000), situation({ random: () => 0.9 }))?.afterMs, 60_450);
  assert.equal(planRetry(failed("busy", 60_001), situation()), undefined);
  assert.match(planRetry(failed("busy", 5000), situation())?.text ?? "", /full\. Trying again in 5 seconds/);
});

test("a server that is down is tried within 20 seconds of the first request", () => {
  assert.equal(planRetry(failed("down"), situation({ spentMs: 19_400 }))?.afterMs, 500);
  assert.equal(planRetry(failed("down"), situation({ spentMs: 19_600 })), undefined);
  assert.equal(planRetry(failed("down", 15_000), situation({ spentMs: 6000 })), undefined);
});

test("a broken answer is asked for again, then in one piece, then no more", () => {
  const first = planRetry(failed("broken"), situation());
  const second = planRetry(failed("broken"), situation({ tried: first?.tried ?? assert.fail() }));
  assert.deepEqual([first?.as, second?.as], ["same", "whole"]);
  assert.equal(planRetry(failed("broken"), situation({ tried: second?.tried ?? assert.fail() })), undefined);
});

test("whatever goes wrong in whatever order, it comes to an end soon", () => {
  const trouble = fc.constantFrom<Trouble>("busy", "down", "broken", "empty", "sealed");
  const failure = fc.record({ trouble, retryAfterMs: fc.option(fc.nat(100_000), { nil: undefined }) });
  fc.assert(
    fc.property(
      fc.array(failure, { minLength: 12, maxLength: 12 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (all, chance) => {
        let tried = nothingTried;
        let waited = 0;
        const ended = all.findIndex(({ trouble: what, retryAfterMs }) => {
          const where = situation({ tried, sealed: true, spentMs: waited, random: () => chance });
          const plan = planRetry(failed(what, retryAfterMs), where);
          if (plan === undefined) return true;
          ({ tried } = plan);
          waited += plan.afterMs;
          return false;
        });
        assert.ok(ended >= 0 && ended <= 6, "at most seven requests");
        assert.ok(waited <= 2 * 60_500);
      },
    ),
  );
});
