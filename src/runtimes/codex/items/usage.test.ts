import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { forgetBaseline, measure, setBaseline } from "./usage.ts";
import type { TokenCounts, TokenUsage } from "../wire/token-usage.ts";

const counts = (total: number): TokenCounts => ({ total, input: total, cached: 0, output: 0, reasoning: 0 });
const told = (total: number, last: number): TokenUsage => ({
  total: counts(total),
  last: counts(last),
  window: 1000,
});

describe("what a turn has used", () => {
  test("is the difference to the sum before it", () => {
    const first = measure({ before: counts(500) }, told(600, 100));
    const second = measure(first, told(720, 120));
    assert.deepEqual(second.usage, {
      input: 220,
      cached: 0,
      output: 0,
      reasoning: 0,
      context: { used: 120, window: 1000 },
    });
    assert.deepEqual(second.total, counts(720));
  });

  test("starts with the first answer if nothing is known before it", () => {
    assert.equal(measure(measure({}, told(900, 100)), told(950, 50)).usage?.input, 150);
  });

  test("is nothing for an answer without numbers, which repeats the old ones", () => {
    assert.equal(measure({ before: counts(500) }, told(500, 100)).usage?.input, 0);
  });

  test("does not suffer from a thread that was rewound", () => {
    assert.equal(measure({ before: counts(900) }, told(400, 100)).usage?.input, 100);
    assert.equal(measure(forgetBaseline({ before: counts(400) }), told(400, 100)).usage?.input, 100);
  });

  test("takes the sum that is repeated for the turn before, until it has its own", () => {
    const based = setBaseline({}, told(500, 100));
    assert.equal(measure(based, told(560, 60)).usage?.input, 60);
    const own = measure({}, told(100, 100));
    assert.equal(setBaseline(own, told(9999, 1)), own);
    assert.equal(forgetBaseline(own), own);
  });
});
