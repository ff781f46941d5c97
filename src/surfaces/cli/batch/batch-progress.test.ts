import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { asId } from "../../../core/ids.ts";
import { batchProgress } from "./batch-progress.ts";
import type { Written } from "./results-file.ts";

const result = (line: number, status: Written["status"]): Written => ({
  batch: "bat_1",
  line,
  status,
  session: asId<"ses">(`ses_${line}`),
  attempts: 1,
  answer: "",
  usage: { input: 1000, cached: 0, output: 500, reasoning: 0 },
});

/** What it writes for a batch of four, of which one was done before: one is done, one fails. */
function written(terminal: string | undefined, json = false) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = { out: "", err: "" };
  stdout.on("data", (text: Buffer) => (texts.out += text.toString()));
  stderr.on("data", (text: Buffer) => (texts.err += text.toString()));
  if (terminal !== undefined) Object.assign(stderr, { isTTY: true });
  const env = { TERM: terminal };
  const progress = batchProgress({ stdout, stderr, env }, { total: 4, json, before: [result(1, "done")] });
  progress.begun();
  progress.begun();
  progress.ended(result(2, "done"));
  progress.ended({ ...result(3, "failed"), error: "the model\nwas not reached" });
  progress.clear();
  return { ...texts, counts: progress.counts };
}

test("at a terminal a bar is drawn over itself, with what is done, not well and under way, and goes at the end", () => {
  const { out, err, counts } = written("xterm");
  assert.equal(out, "", "results are in their file");
  const drawn = err.split("\r\u001b[2K").slice(1);
  assert.deepEqual(drawn, [
    "[######..................] 1/4 · 1 under way · 1,500 tokens",
    "[######..................] 1/4 · 2 under way · 1,500 tokens",
    "[############............] 2/4 · 1 under way · 3,000 tokens",
    "[##################......] 3/4 · 1 not well · 0 under way · 4,500 tokens",
    "",
  ]);
  assert.deepEqual(
    [...counts],
    [
      ["done", 2],
      ["failed", 1],
    ],
  );
});

test("elsewhere each result is a line, and no line has another one in it", () => {
  for (const terminal of [undefined, "dumb"]) {
    const { out, err } = written(terminal);
    assert.equal(err, "");
    assert.deepEqual(out.trimEnd().split("\n"), [
      "2/4 line 2: done, 1,500 tokens",
      "3/4 line 3: failed: the model was not reached",
    ]);
  }
});

test("for programs each result is an object, also while a bar is drawn", () => {
  const { out, err } = written("xterm", true);
  const lines = out.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as Written).line),
    [2, 3],
  );
  assert.match(err, /3\/4 · 1 not well/);
});
