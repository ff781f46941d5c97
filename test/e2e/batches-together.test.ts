import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { talaria } from "./talaria.ts";

test("two batches of the same file at once have all results each, and each prompt is done once", async () => {
  await using it = await talaria();
  // Long enough that one finds lines that the other has in hand, and waits for nothing else.
  const prompts = Array.from({ length: 8 }, (_, at) => `"run sleep 0.${at % 4}; echo line-${at}"\n`);
  await writeFile(join(it.cwd, "many.jsonl"), prompts.join(""));
  const outs = ["one.jsonl", "two.jsonl"];
  const ended = await Promise.all(outs.map((out) => it.run(["batch", "many.jsonl", "--out", out])));
  assert.deepEqual(
    ended.map(({ code, stderr }) => [code, /unsettled/.test(stderr)]),
    [
      [0, false],
      [0, false],
    ],
  );
  const sessions = await Promise.all(outs.map(async (out) => sessionsIn(join(it.cwd, out))));
  assert.equal(sessions[0]?.length, prompts.length);
  assert.deepEqual(sessions[0], sessions[1]);
});

async function sessionsIn(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { session: string }).session).toSorted();
}
