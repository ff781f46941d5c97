import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { connection } from "./connection.ts";
import { fakeWire } from "./fake-wire.suite.ts";
import type { Recorder } from "./recorded-wire.ts";

const soon = { signal: new AbortController().signal, timeoutMs: 1_000 };

test("a recording has every frame of both sides, lines that are none, and the end", async () => {
  const seen: unknown[] = [];
  const { talk, codex } = start((dir, msg) => void seen.push([dir, msg]));
  const answer = talk.request("a", {}, soon);
  codex.sayLine("oops");
  codex.say({ id: 1, result: 5 });
  await answer;
  codex.exit({ code: 0 });
  const exit = await talk.gone;
  assert.deepEqual(seen, [
    ["c>s", { id: 1, method: "a", params: {} }],
    ["note", { line: "oops" }],
    ["s>c", { id: 1, result: 5 }],
    ["exit", exit],
  ]);
});

test("a recording that fails changes nothing", async () => {
  const { talk, codex } = start(() => {
    throw new Error("disk full");
  });
  const answer = talk.request("a", {}, soon);
  codex.say({ id: 1, result: 5 });
  assert.equal(await answer, 5);
  assert.ok(talk.alive);
});

test("nothing is recorded while nobody looks, and everything from when somebody does", async () => {
  const seen: unknown[] = [];
  let wanted = false;
  const record = (dir: string, msg: unknown): void => void seen.push([dir, msg]);
  const { talk, codex } = start(Object.assign(record, { isWanted: () => wanted }));
  const unseen = talk.request("a", {}, soon);
  codex.say({ id: 1, result: 5 });
  await unseen;
  wanted = true;
  const answer = talk.request("b", {}, soon);
  codex.say({ id: 2, result: 6 });
  await answer;
  assert.deepEqual(seen, [
    ["c>s", { id: 2, method: "b", params: {} }],
    ["s>c", { id: 2, result: 6 }],
  ]);
});

function start(record: Recorder) {
  const codex = fakeWire();
  return { codex, talk: connection({ wire: codex.wire, clock: fakeClock(), record }) };
}
