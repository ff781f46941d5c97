import assert from "node:assert/strict";
import { test } from "node:test";
import { noPty } from "../../test/e2e/screen/pty.ts";
import { run } from "./run.ts";
import { quickSize } from "./sizes.ts";
import { type Run, startNames } from "./start.ts";
import { verdict } from "./verdict.ts";

test("every kind of start does what it should, in a used and in a fresh home", async () => {
  const measured = await run(quickSize, () => {});
  const said = verdict(measured, quickSize.slack);
  assert.equal(said.failed, 0);
  assert.equal(said.pass, true);
  for (const name of startNames) {
    const times = name === "chat" && noPty !== false ? 0 : 1;
    assert.equal(said.warm[name].runs, times * quickSize.warm, name);
    assert.equal(said.fresh[name].runs, times * quickSize.fresh, name);
  }
});

test("a missed target fails the run only beyond the slack", () => {
  const starts = { node: runs(40), version: runs(100), help: runs(100), loop: runs(500), exec: runs(300) };
  const measured = (codexMs: number, chatMs: number) => {
    const warm = { ...starts, codex: runs(codexMs), chat: runs(chatMs) };
    return { codex: "0.0.0", load: { before: 0, after: 0 }, warm, fresh: warm };
  };
  const judged = (codexMs: number, chatMs: number) => {
    const { met, pass } = verdict(measured(codexMs, chatMs), 3);
    return [met.codexRatio, met.paintLaterMs, pass];
  };
  assert.deepEqual(judged(450, 290), [true, true, true]);
  assert.deepEqual(judged(460, 300), [false, false, true]);
  assert.deepEqual(judged(1360, 290), [false, true, false]);
  assert.deepEqual(judged(450, 800), [true, false, false]);
});

const runs = (ms: number): readonly Run[] => [{ ms, readyMs: ms, cpuMs: 0, done: true }];
