import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { ModelSpend, Usage } from "./events.ts";
import { type PriceOf, addUsage, costOf, costOfAll, spendsOf } from "./spend.ts";
import { addTokens, soundTokens, sumsBy, tokenCount, usdText } from "./usage.ts";

const price = { input: 2, cached: 0.5, output: 10 };
const tokens = { input: 1_000_000, cached: 400_000, output: 100_000, reasoning: 50_000 };
const own = { provider: "mine", model: "big" };
const onlyBig: PriceOf = (provider, model) => (provider === "mine" && model === "big" ? price : undefined);
const usage = (also: Partial<Usage> = {}): Usage => ({ ...tokens, context: { used: 1 }, ...also });

test("cached input costs its own price, and reasoning is output", () => {
  assert.equal(costOf(tokens, price), 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10);
  assert.equal(
    costOf({ input: 10, cached: 0, output: 0, reasoning: 0 }, { input: 0, cached: 0, output: 0 }),
    0,
  );
});

test("nonsense costs nothing, whatever the price", () => {
  for (const bad of [-5, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
    assert.equal(costOf({ input: bad, cached: bad, output: bad, reasoning: bad }, price), 0, String(bad));
  }
  assert.equal(costOf({ input: 10, cached: 999, output: 0, reasoning: 0 }, price), (10 * 0.5) / 1e6);
});

test("usage that names no model is the turn's own, and without a price its cost is unknown", () => {
  assert.deepEqual(spendsOf(usage(), own, onlyBig), [{ ...own, ...tokens, cost: 2.4 }]);
  assert.deepEqual(spendsOf(usage(), { ...own, model: "other" }, onlyBig), [
    { provider: "mine", model: "other", ...tokens },
  ]);
});

test("what a provider charged goes before the price list, unless it cannot be", () => {
  assert.equal(spendsOf(usage({ cost: 7 }), own, onlyBig)[0]?.cost, 7);
  assert.equal(spendsOf(usage({ cost: -7 }), own, onlyBig)[0]?.cost, 2.4);
});

test("after a fallback each model has its share, and half a cost is no cost", () => {
  const other: ModelSpend = { provider: "spare", model: "s", input: 9, cached: 0, output: 1, reasoning: 0 };
  const whole = usage({ ...addTokens(tokens, other), models: [other] });
  const spends = spendsOf(whole, own, onlyBig);
  assert.deepEqual(spends, [{ ...own, ...tokens, cost: 2.4 }, other]);
  assert.equal(costOfAll(spends), undefined);
  assert.deepEqual(spendsOf(usage({ models: [{ ...own, ...tokens }] }), own, onlyBig), [
    { ...own, ...tokens, cost: 2.4 },
  ]);
});

test("however usage is split among models and legs, nothing of it is lost or doubled", () => {
  const count = fc.nat(1000);
  const spend = fc
    .record({
      provider: fc.constantFrom("mine", "spare"),
      model: fc.constantFrom("big", "s"),
      input: count,
      cached: count,
      output: count,
      reasoning: count,
    })
    .map((raw) => ({ ...raw, ...soundTokens(raw) }));
  fc.assert(
    fc.property(fc.array(spend, { minLength: 1, maxLength: 6 }), fc.array(fc.boolean()), (legs, named) => {
      const all = legs.reduce<Usage | undefined>((before, leg, at) => {
        const { provider: _p, model: _m, ...its } = leg;
        const models = named[at] === true ? { models: [leg] } : {};
        return addUsage(before, { ...its, context: { used: at }, ...models });
      }, undefined);
      assert.ok(all !== undefined);
      const spends = spendsOf(all, own, onlyBig);
      const sum = spends.reduce((a, b) => a + tokenCount(b), 0);
      assert.equal(
        sum,
        legs.reduce((a, b) => a + tokenCount(b), 0),
      );
      const names = spends.map(({ provider, model }) => `${provider}/${model}`);
      assert.equal(new Set(names).size, names.length);
      assert.equal(all.context.used, legs.length - 1);
    }),
  );
});

test("sums keep a known cost apart from an unknown one", () => {
  const group = {
    day: "2026-01-01",
    ...own,
    cause: "turn",
    rows: 1,
    ...tokens,
    unpriced: 1,
    uncounted: 0,
  } as const;
  const [sum] = sumsBy([group, { ...group, cost: 1, unpriced: 0 }], ({ day }) => day);
  assert.partialDeepStrictEqual(sum, { name: "2026-01-01", rows: 2, input: 2_000_000, cost: 1, unpriced: 1 });
  assert.equal("cost" in (sumsBy([group], ({ day }) => day)[0] ?? {}), false);
});

test("an amount of money shows cents, and more of them when it is small", () => {
  assert.deepEqual([0, 0.00042, 0.5, 1, 12.345].map(usdText), ["0.00", "0.0004", "0.5000", "1.00", "12.35"]);
});
