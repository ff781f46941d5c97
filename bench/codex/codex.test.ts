import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./run.ts";
import { bench } from "./bench.ts";
import { figuresOf } from "./figures.ts";

const { quick } = bench.sizes;

test("all sides end every turn on the real codex, and a killed codex ends its turn as lost", async () => {
  const measured = await run(quick, () => {});
  const { warmTurns, atOnce, kills } = quick;
  const turns = warmTurns + atOnce.sessions * atOnce.turns * atOnce.times;
  const said = figuresOf(measured);
  assert.deepEqual(said.turns, { thin: turns, equal: turns, talaria: turns });
  assert.equal(said.kills, kills);
  assert.equal(said.failed, 0);
  for (const { store } of measured.warm.talaria) {
    assert.ok(store !== undefined && store.commits > 0, "a turn is committed");
  }
});
