import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import type { EndedEvent, Outcome, Usage } from "../../../core/events.ts";
import type { AppServer } from "../process/app-server.ts";
import { type Recorded, recordedUsage, withRecorded } from "./recorded-usage.ts";
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

const begins = (turn: string): string => JSON.stringify({ type: "turn_context", payload: { turn_id: turn } });

const item = (payload: object): string => JSON.stringify({ type: "response_item", payload });
const call = (id: string): string => item({ type: "function_call", name: "exec_command", call_id: id });
const result = (id: string, output: string): string =>
  item({ type: "function_call_output", call_id: id, output });
const words = item({ type: "message", role: "assistant", content: [] });
const asked = item({ type: "message", role: "user", content: [] });

const uncounted = (outcome: Outcome, answer: Recorded["answer"], code?: "lost" | "auth") => {
  const fault = code === undefined ? {} : { fault: { code, message: "", next: "" } };
  const ended: Pick<EndedEvent, "outcome" | "fault" | "uncounted"> = { outcome, ...fault };
  return withRecorded(ended, { answer }).uncounted ?? false;
};

describe("what codex has written down of a turn's tokens", () => {
  test("is the sum of its answers, and of no other turn's; a torn line is none", async () => {
    const torn = record("mine", 4000).slice(0, -5);
    const lines = [
      begins("other"),
      record("other", 1),
      begins("mine"),
      record("mine", 10),
      record("mine", 30),
    ];
    await using it = await written(...lines, torn);
    const { usage } = await recordedUsage(it.file, "mine");
    assert.deepEqual(usage, { input: 40, cached: 2, output: 4, reasoning: 0, context: { used: 32 } });
    for (const [file, turn] of [
      [it.file, "nobody's"],
      ["/nowhere/at.all", "mine"],
      [undefined, "mine"],
    ] as const)
      assert.deepEqual(await recordedUsage(file, turn), { answer: "awaited" });
  });

  const answered = [begins("mine"), asked, call("a"), record("mine", 10)];
  const ends: readonly (readonly [what: string, answer: Recorded["answer"], ...lines: readonly string[]])[] =
    [
      ["that waits for the first answer", "awaited", begins("mine"), asked],
      ["of which words have come, and not what they took", "begun", begins("mine"), asked, words],
      ["of which a call has come, and not what it took", "begun", begins("mine"), asked, call("a")],
      ["whose answer calls something that runs", "complete", ...answered],
      ["whose calls were stopped", "complete", ...answered, result("a", "aborted by user after 0.1s")],
      ["that waits for the next answer", "awaited", ...answered, result("a", "fine")],
      ["of whose next answer a part has come", "begun", ...answered, result("a", "fine"), call("b")],
    ];
  for (const [what, answer, ...lines] of ends) {
    test(`tells a turn ${what}`, async () => {
      await using it = await written(begins("other"), words, record("other", 1), ...lines);
      assert.equal((await recordedUsage(it.file, "mine")).answer, answer);
    });
  }

  const usage = { input: 10, cached: 0, output: 1, reasoning: 0, context: { used: 11, window: 100 } };
  const stopped = { outcome: "interrupted", usage } as const;

  test("takes the place of what was heard when it is more", () => {
    const more = { ...usage, input: 40, context: { used: 32 } };
    const known = (recorded?: Usage) =>
      withRecorded(stopped, { answer: "complete", ...(recorded === undefined ? {} : { usage: recorded }) });
    assert.deepEqual(known(more), { ...stopped, usage: { ...more, context: { used: 32, window: 100 } } });
    assert.deepEqual(known({ ...more, input: 10 }), stopped);
    assert.deepEqual(known(), stopped);
  });

  test("is not all when an answer was cut off: of a provider that failed only when a part of it had come", () => {
    assert.deepEqual(
      (["complete", "awaited", "begun"] as const).map((answer) => [
        uncounted("interrupted", answer),
        uncounted("failed", answer, "lost"),
        uncounted("failed", answer, "auth"),
      ]),
      [
        [false, false, false],
        [true, true, false],
        [true, true, true],
      ],
    );
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
