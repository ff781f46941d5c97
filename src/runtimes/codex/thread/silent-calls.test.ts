import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { unknownOutcome } from "../../../core/items.ts";
import { silentCalls, unkeptCalls } from "./silent-calls.ts";

type Journal = AsyncDisposable & {
  readonly file: string;
  write(...lines: readonly (object | string)[]): Promise<void>;
};

async function journal(): Promise<Journal> {
  const temp = await tempFolder();
  const { path: folder } = temp;
  const file = join(folder, "thread.jsonl");
  return {
    file,
    write: (...lines) =>
      appendFile(
        file,
        lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(line)}\n`)).join(""),
      ),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

const begins = (turn: string): object => ({ type: "turn_context", payload: { turn_id: turn } });
const call = (id: string, name = "exec_command", args: object = { cmd: `touch /etc/${id}` }): object => ({
  type: "response_item",
  payload: { type: "function_call", name, call_id: id, arguments: JSON.stringify(args) },
});
const answer = (id: string, code: number | undefined, seconds = "0.0000"): object => {
  const end = code === undefined ? "Process running with session ID 7" : `Process exited with code ${code}`;
  const head = `Chunk ID: 1a2b3c\nWall time: ${seconds} seconds\n${end}\nOriginal token count: 3\n`;
  const output = `${head}Output:\nRead-only\nfile system\n`;
  return { type: "response_item", payload: { type: "function_call_output", call_id: id, output } };
};

const cut = (id: string, type: string, output: string): object => ({
  type: "response_item",
  payload: { type: `${type}_call_output`, call_id: id, output },
});

const stopped = (id: string): object => ({
  type: "commandExecution",
  id,
  command: `touch /etc/${id}`,
  status: "failed",
  exitCode: 1,
  aggregatedOutput: "Read-only\nfile system\n",
});

describe("commands that codex tells nobody of", () => {
  test("are found in the journal, each once, as soon as they are whole", async () => {
    await using it = await journal();
    const look = await silentCalls(it.file);
    assert.deepEqual(await look("t"), [], "there is no file yet");
    const last = JSON.stringify(answer("b", 1));
    await it.write(begins("t"), call("a"), answer("a", 1), call("b"), last.slice(0, 60));
    assert.deepEqual(await look("t"), [stopped("a")]);
    assert.deepEqual(await look("t"), []);
    await it.write(`${last.slice(60)}\n`);
    assert.deepEqual(await look("t"), [stopped("b")]);
  });

  test("are those that took no time and failed: codex tells of all others", async () => {
    await using it = await journal();
    const look = await silentCalls(it.file);
    await it.write(begins("t"), call("done"), answer("done", 0), call("slow"), answer("slow", 1, "0.1203"));
    await it.write(call("open"), answer("open", undefined), call("plan", "update_plan"), answer("plan", 1));
    await it.write(answer("nobody's", 1));
    assert.deepEqual(await look("t"), []);
  });

  test("are those that were stopped at once, too, also a script, with an unknown outcome", async () => {
    await using it = await journal();
    const look = await silentCalls(it.file);
    const script = { type: "custom_tool_call", name: "exec", call_id: "s", input: "await tools.x()" };
    await it.write(begins("t"), call("a"), cut("a", "function", "Wall time: 0.1 seconds\naborted by user"));
    await it.write({ type: "response_item", payload: script });
    await it.write(cut("s", "custom_tool", "aborted by user after 0.1s"));
    await it.write(call("plan", "update_plan"), cut("plan", "function", "aborted by user after 0.1s"));
    assert.partialDeepStrictEqual(await look("t"), [
      { type: "commandExecution", id: "a", command: "touch /etc/a", aggregatedOutput: unknownOutcome },
      { type: "dynamicToolCall", tool: "exec", arguments: { script: "await tools.x()" } },
    ]);
  });

  test("belong to this turn, and not to what was written before or besides", async () => {
    await using it = await journal();
    await it.write(begins("t"), call("before"));
    const look = await silentCalls(it.file);
    await it.write(
      answer("before", 1),
      call("told"),
      answer("told", 1),
      begins("other"),
      call("x"),
      answer("x", 1),
    );
    await it.write(begins("t"), call("mine"), answer("mine", 1));
    assert.deepEqual(await look("t"), [stopped("mine")]);
  });

  test("are read past lines that nobody understands, and their folder is the call's", async () => {
    await using it = await journal();
    const look = await silentCalls(it.file);
    await it.write(begins("t"), '{"function_call"\n', "\n", '"function_call_output"\n', {
      payload: { call_id: 5 },
    });
    await it.write(call("a", "exec_command", { cmd: "touch /etc/a", workdir: "/w" }), answer("a", 1));
    assert.deepEqual(await look("t"), [{ ...stopped("a"), cwd: "/w" }]);
  });

  test("are none where codex says nothing of a journal", async () => {
    assert.deepEqual(await (await silentCalls(undefined))("t"), []);
    assert.deepEqual(await (await silentCalls("/nonexistent/thread.jsonl"))("t"), []);
  });
});

describe("commands of a turn that our own death cut off", () => {
  test("are those without an answer, too: codex may have died with us", async () => {
    await using it = await journal();
    const patch = { type: "custom_tool_call", name: "apply_patch", call_id: "p", input: "*** Begin Patch" };
    await it.write(begins("other"), call("else"), begins("t"), call("done"), answer("done", 0));
    await it.write(call("failed"), answer("failed", 1), call("stopped"));
    await it.write(cut("stopped", "function", "Wall time: 0.1 seconds\naborted by user"));
    await it.write({ type: "response_item", payload: patch }, call("plan", "update_plan"), call("last"));
    const found = await unkeptCalls(it.file, "t", new Set());
    assert.deepEqual(
      found.map((item) => (item as { id: string }).id),
      ["failed", "stopped", "p", "last"],
    );
    assert.partialDeepStrictEqual(found.slice(1), [
      { type: "commandExecution", command: "touch /etc/stopped", aggregatedOutput: unknownOutcome },
      { type: "dynamicToolCall", tool: "apply_patch", arguments: { patch: "*** Begin Patch" } },
      { type: "commandExecution", command: "touch /etc/last", aggregatedOutput: unknownOutcome },
    ]);
  });

  test("are not those that are known anyway", async () => {
    await using it = await journal();
    await it.write(begins("t"), call("told"), call("new"));
    const found = await unkeptCalls(it.file, "t", new Set(["told"]));
    assert.partialDeepStrictEqual(found, [{ id: "new" }]);
    assert.equal(found.length, 1);
    assert.deepEqual(await unkeptCalls(undefined, "t", new Set()), []);
  });
});
