import assert from "node:assert/strict";
import { test } from "node:test";
import { bench } from "./bench.ts";
import { run } from "./run.ts";

const { quick } = bench.sizes;

test("search finds what the bare index query finds, in the same order, for every kind of query", async () => {
  const { samples } = await run(quick, 7);
  assert.equal(new Set(samples.map(({ kind }) => kind)).size, 6);
  for (const { kind, typed, rawHits, storeHits } of samples) {
    assert.deepEqual(storeHits, rawHits, `${kind}: ${typed}`);
  }
  assert.ok(
    samples.filter(({ rawHits }) => rawHits.length > 0).length > samples.length / 2,
    "most find something",
  );
});
