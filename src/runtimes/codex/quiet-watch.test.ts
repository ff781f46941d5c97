import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { watchQuiet } from "./quiet-watch.ts";

function watched(itemOpen: boolean) {
  const clock = fakeClock();
  const heard = { lastMs: 0, itemOpen };
  const rings: number[] = [];
  const watch = watchQuiet(
    clock,
    () => heard,
    () => rings.push(clock.monotonic() / 1000),
  );
  return { clock, heard, rings, watch };
}

test("silence is asked about after 30 s, and then ever more rarely", async () => {
  const { clock, rings, watch } = watched(false);
  await clock.advance(800_000);
  assert.deepEqual(rings, [30, 60, 120, 240, 480, 720]);
  watch[Symbol.dispose]();
});

test("with an item open the first question comes after a minute", async () => {
  const { clock, rings, watch } = watched(true);
  await clock.advance(500_000);
  assert.deepEqual(rings, [60, 120, 240, 480]);
  watch[Symbol.dispose]();
});

test("a word from codex starts the count anew", async () => {
  const { clock, heard, rings, watch } = watched(false);
  await clock.advance(29_000);
  heard.lastMs = clock.monotonic();
  await clock.advance(29_000);
  assert.deepEqual(rings, []);
  await clock.advance(1_000);
  assert.deepEqual(rings, [59]);
  watch[Symbol.dispose]();
});

test("after the turn nothing rings and nothing waits", async () => {
  const { clock, rings, watch } = watched(false);
  watch[Symbol.dispose]();
  await clock.advance(100_000);
  assert.deepEqual(rings, []);
  assert.equal(clock.pending(), 0);
});
