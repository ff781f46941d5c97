import assert from "node:assert/strict";
import { test } from "node:test";
import { noPty } from "../../test/e2e/screen/pty.ts";
import { type Runs, run } from "./run.ts";
import { quickSize } from "./sizes.ts";
import { type StartName, startNames } from "./start.ts";
import { verdict } from "./verdict.ts";

test("every kind of start does what it should", async () => {
  const measured = await run(quickSize, () => {});
  const said = verdict(measured, quickSize.slack);
  assert.equal(said.failed, 0);
  assert.equal(said.pass, true);
  for (const name of startNames) {
    const left = name === "pi" || (name === "chat" && noPty !== false);
    const times = left ? 0 : 1;
    assert.equal(said.warm[name].runs, times * quickSize.warm, name);
    assert.equal(said.fresh[name].runs, times * quickSize.fresh, name);
  }
});

test("any missed target fails the run, and one that was not measured does not", () => {
  const good = {
    node: 40,
    version: 80,
    help: 90,
    loop: 350,
    pi: 500,
    codex: 420,
    driver: 300,
    exec: 1,
    chat: 290,
  };
  const judged = (bad: Partial<typeof good>) => {
    const warm = mapped({ ...good, ...bad });
    const { met, pass } = verdict({ codex: "0.0.0", load: { before: 0, after: 0 }, warm, fresh: warm }, 1);
    return [met.versionRatio, met.piRatio, met.driverRatio, met.paintLaterMs, pass];
  };
  assert.deepEqual(judged({}), [true, true, true, true, true]);
  assert.deepEqual(judged({ version: 81 }), [false, true, true, true, false]);
  assert.deepEqual(judged({ loop: 360 }), [true, false, true, true, false]);
  assert.deepEqual(judged({ codex: 430 }), [true, true, false, true, false]);
  assert.deepEqual(judged({ chat: 300 }), [true, true, true, false, false]);
  assert.deepEqual(judged({ pi: Number.NaN }), [true, undefined, true, true, true]);
});

const mapped = (ms: Readonly<Record<StartName, number>>): Runs =>
  Object.fromEntries(
    Object.entries(ms).map(([name, each]) => [
      name,
      [{ ms: each, saidMs: each, readyMs: each, cpuMs: 0, done: true }],
    ]),
  ) as unknown as Runs;
