import assert from "node:assert/strict";
import { test } from "node:test";
import type { Death } from "./kills.ts";
import { type Measured, type Prompted, run } from "./run.ts";
import { type Each, forEach } from "./side.ts";
import { quickSize } from "./sizes.ts";
import { verdict } from "./verdict.ts";

test("both agents answer every prompt, and ours survives every death with all that was finished", async () => {
  const said = verdict(await run(quickSize, () => {}), quickSize.slack);
  assert.equal(said.failed, 0, JSON.stringify(said));
  assert.equal(said.pass, true);
  for (const each of [said.warm.adapter, said.warm.talaria]) assert.equal(each.runs, quickSize.warm);
  for (const each of [said.cold.adapter, said.cold.talaria]) assert.equal(each.runs, quickSize.cold);
  const { deaths, wentOn, left, knewFinished } = said.agentKilled.talaria;
  assert.deepEqual(
    [deaths, wentOn, left, knewFinished],
    [quickSize.kills, quickSize.kills, 0, quickSize.kills],
  );
});

test("a missed target fails the run only beyond the slack; a death that is not survived always does", () => {
  assert.deepEqual(judged(110), [true, true]);
  assert.deepEqual(judged(120), [false, true]);
  assert.deepEqual(judged(340), [false, false]);
  assert.deepEqual(judged(110, { seen: "nothing" }), [true, false]);
  assert.deepEqual(judged(110, { leftInTheEnd: 1 }), [true, false]);
  assert.deepEqual(judged(110, { remembers: { before: true, finished: false } }), [true, false]);
});

function judged(talariaMs: number, death: Partial<Death> = {}): readonly unknown[] {
  const { met, pass } = verdict(measured(talariaMs, death), 3);
  return [met.warmRatio, pass];
}

const prompted = (endedMs: number): Prompted => ({ wordMs: endedMs, endedMs, done: true });

function measured(talariaMs: number, death: Partial<Death>): Measured {
  const each = <Row>(pick: (ms: number) => Row): Each<readonly Row[]> =>
    forEach((name) => [pick(name === "talaria" ? talariaMs : 100)]);
  const survived: Death = { seen: "error: it is gone", seenMs: 1, left: 0, goesOn: true, leftInTheEnd: 0 };
  return {
    codex: "0.0.0",
    load: { before: 0, after: 0 },
    warm: each(prompted),
    cold: each(() => ({ ...prompted(1), introducedMs: 1, openedMs: 1, memoryMiB: 1, processes: 2 })),
    codexKilled: forEach(() => [survived]),
    agentKilled: forEach((name) => [name === "talaria" ? { ...survived, ...death } : survived]),
    editorGone: forEach(() => [{ exitedMs: 1, code: 0, left: 0 }]),
  };
}
