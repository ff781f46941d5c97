import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import type { AppServer } from "../process/app-server.ts";
import { recordedUsage, withRecorded } from "./recorded-usage.ts";
import { noteTotal, totalBefore } from "./thread-total.ts";

const counts = (tokens: number): object => ({
  input_tokens: tokens,
  cached_input_tokens: 1,
  output_tokens: 2,
  reasoning_output_tokens: 0,
  total_tokens: tokens + 2,
});

const record = (turn: string, tokens: number): string =>
  JSON.stringify({ type: "token_usage_record", payload: { turn_id: turn, usage: counts(tokens) } });

const sum = (tokens: number): string =>
  JSON.stringify({
    type: "event_msg",
    payload: { type: "token_count", info: { total_token_usage: counts(tokens), last_token_usage: {} } },
  });

async function written(...lines: readonly string[]): Promise<AsyncDisposable & { readonly file: string }> {
  const temp = await tempFolder();
  const { path: folder } = temp;
  const file = join(folder, "thread.jsonl");
  await writeFile(file, lines.join("\n"));
  return { file, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

describe("what codex has written down of a turn's tokens", () => {
  test("is the sum of its answers, and of no other turn's; a torn line is none", async () => {
    const torn = record("mine", 4000).slice(0, -5);
    await using it = await written(record("other", 1), record("mine", 10), record("mine", 30), torn);
    assert.deepEqual(await recordedUsage(it.file, "mine"), {
      input: 40,
      cached: 2,
      output: 4,
      reasoning: 0,
      context: { used: 32 },
    });
    assert.equal(await recordedUsage(it.file, "nobody's"), undefined);
    assert.equal(await recordedUsage("/nowhere/at.all", "mine"), undefined);
    assert.equal(await recordedUsage(undefined, "mine"), undefined);
  });

  test("takes the place of what was heard when it is more", () => {
    const usage = { input: 10, cached: 0, output: 1, reasoning: 0, context: { used: 11, window: 100 } };
    const more = { ...usage, input: 40, context: { used: 32 } };
    assert.deepEqual(withRecorded({ usage }, more).usage, { ...more, context: { used: 32, window: 100 } });
    assert.deepEqual(withRecorded({ usage }, { ...more, input: 10 }).usage, usage);
    assert.deepEqual(withRecorded({ usage }, undefined).usage, usage);
  });
});

describe("the sum of a thread before a turn", () => {
  const server = {} as AppServer;

  test("is the last that was written down, however much stands behind it", async () => {
    const long = JSON.stringify({ type: "response_item", payload: "x".repeat(100_000) });
    await using it = await written(
      sum(10),
      sum(70),
      long,
      '{"type":"event_msg","payload":{"type":"token_count',
    );
    const known = await totalBefore(server, { id: "t", file: it.file });
    assert.deepEqual([known?.totalBefore.input, known?.totalBefore.total], [70, 72]);
  });

  test("is what was heard of it in this process, and unknown for a new one", async () => {
    await using it = await written(sum(10));
    const heard = { total: 5, input: 4, cached: 0, output: 1, reasoning: 0 };
    noteTotal(server, "heard", heard);
    assert.deepEqual(await totalBefore(server, { id: "heard", file: it.file }), { totalBefore: heard });
    assert.equal(await totalBefore(server, { id: "new" }), undefined);
    assert.equal(await totalBefore(server, { id: "new", file: "/nowhere/at.all" }), undefined);
  });
});
