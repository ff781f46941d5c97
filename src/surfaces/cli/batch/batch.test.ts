import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { testFolder } from "../../../../test/temp-folder.ts";
import type { BatchResult } from "../../../core/work/batch.ts";
import { newId } from "../../../core/ids.ts";
import type { CliPorts } from "../ports.ts";
import { batch } from "./batch.ts";

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`after ${signal} what is under way ends, nothing more begins, and the same command goes on`, async (t) => {
    const it = await world(t, ["first", "second", "third"]);
    const running = it.run();
    it.answer(await it.asked());
    const second = await it.asked();
    it.interrupt(signal);
    assert.equal(it.isListening(), false, "once more leaves at once");
    it.answer(second);
    assert.equal(await running, code);
    assert.deepEqual(await it.lines(), [1, 2]);
    assert.match(it.said(), /3 prompts: 2 done, 1 left\./);
    assert.match(it.said(), /stopping; what is under way ends first/);

    const again = it.run();
    it.answer(await it.asked());
    assert.equal(await again, 0);
    assert.deepEqual(await it.lines(), [1, 2, 3]);
    assert.deepEqual(it.all, [1, 2, 3], "each was asked for once");
  });
}

test("before the first prompt it says for which models a budget in USD limits nothing", async (t) => {
  const said = async (budget: string) => {
    const it = await world(t, ["first"], { priced: [] });
    const running = it.run({ budget });
    const line = await it.asked();
    const before = it.said();
    it.answer(line);
    await running;
    return before;
  };
  assert.match(
    await said("0.01usd"),
    /^talaria: warning: no price of big at mine is known, so .* limits nothing/,
  );
  assert.equal(await said("2m"), "");
});

test("one prompt is told as one", async (t) => {
  const it = await world(t, ["only"]);
  const running = it.run();
  it.answer(await it.asked());
  assert.equal(await running, 0);
  assert.match(it.said(), /^1 prompt: 1 done\.$/m);
});

/** A file of prompts, and a host that is asked for one at a time and answers when it is told to. */
async function world(
  t: TestContext,
  prompts: readonly string[],
  { priced = ["big"] }: { readonly priced?: readonly string[] } = {},
) {
  const cwd = await testFolder(t);
  await writeFile(
    join(cwd, "all.jsonl"),
    prompts.map((prompt) => `${JSON.stringify({ prompt })}\n`).join(""),
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let written = "";
  for (const stream of [stdout, stderr]) stream.on("data", (text: Buffer) => (written += text.toString()));
  const all: number[] = [];
  const open = new Map<number, (result: BatchResult) => void>();
  let news = Promise.withResolvers<number>();
  let onInterrupt: ((signal: NodeJS.Signals) => void) | undefined;
  const client = {
    call: (name: string, { line }: { readonly line: number }) =>
      new Promise<unknown>((resolve) => {
        if (name === "host.status") return resolve({ model: "big", provider: "mine", priced });
        all.push(line);
        open.set(line, resolve);
        news.resolve(line);
      }),
    [Symbol.asyncDispose]: async () => {},
  };
  const ports = {
    cwd,
    env: {},
    stdout,
    stderr,
    openHost: async () => client,
    onInterrupt(callback: (signal: NodeJS.Signals) => void) {
      onInterrupt = callback;
      return () => void (onInterrupt = undefined);
    },
  } as unknown as CliPorts;
  return {
    all,
    run: (options = {}) => batch(ports, ["all.jsonl"], { concurrency: "1", ...options } as never),
    async asked(): Promise<number> {
      const line = await news.promise;
      news = Promise.withResolvers();
      return line;
    },
    answer(line: number): void {
      const usage = { input: 1, cached: 0, output: 1, reasoning: 0 };
      const session = newId("ses", line);
      open.get(line)?.({ line, status: "done", session, attempts: 1, answer: "Yes.", usage });
    },
    interrupt: (signal: NodeJS.Signals) => onInterrupt?.(signal),
    isListening: () => onInterrupt !== undefined,
    said: () => written,
    async lines(): Promise<readonly number[]> {
      const text = await readFile(join(cwd, "all.results.jsonl"), "utf8");
      return text
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { line: number }).line);
    },
  };
}
