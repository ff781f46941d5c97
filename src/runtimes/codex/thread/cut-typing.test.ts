import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { unknownOutcome } from "../../../core/items.ts";
import { cutTyping, unkeptTyping } from "./cut-typing.ts";

const begins = (turn: string): object => ({ type: "turn_context", payload: { turn_id: turn } });
const said = (payload: object): object => ({ type: "response_item", payload });
const typing = (id: string, chars: string): object =>
  said({
    type: "function_call",
    name: "write_stdin",
    call_id: id,
    arguments: JSON.stringify({ session_id: 7, chars }),
  });
const script = (id: string): object =>
  said({ type: "custom_tool_call", name: "exec", call_id: id, input: `tools.write_stdin("${id}")` });
const answer = (id: string, output: string): object =>
  said({ type: "custom_tool_call_output", call_id: id, output });

const lines = (...all: readonly object[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join("");

async function cutIn(...written: readonly object[]): Promise<readonly unknown[]> {
  await using temp = await tempFolder();
  const file = join(temp.path, "thread.jsonl");
  await writeFile(file, lines(begins("before"), script("earlier")));
  const look = await cutTyping(file);
  await appendFile(file, lines(begins("t"), ...written));
  const items = await look("t");
  assert.ok(items.every(({ output, ok }) => output === unknownOutcome && !ok));
  return items.map(({ args }) => args);
}

describe("what was being typed when a turn was cut off", () => {
  test("is what has no answer, or that it was stopped", async () => {
    const args = await cutIn(
      typing("done", "ls\n"),
      answer("done", "Wall time: 0.1 seconds\nProcess running with session ID 7"),
      typing("stopped", "touch a\n"),
      answer("stopped", "aborted by user after 1.2s"),
      script("open"),
    );
    assert.deepEqual(args, [{ text: "touch a\n" }, { script: 'tools.write_stdin("open")' }]);
  });

  test("is in the script that ended with the word that it was stopped, if the model said nothing after it", async () => {
    const ended = 'Script completed\nWall time 1.2 seconds\nOutput:\n"aborted by user after 1.2s"';
    assert.deepEqual(await cutIn(script("cut"), answer("cut", ended)), [
      { script: 'tools.write_stdin("cut")' },
    ]);
    const reply = said({ type: "message", role: "assistant", content: [] });
    assert.deepEqual(await cutIn(script("whole"), answer("whole", ended), reply), []);
    assert.deepEqual(await cutIn(script("other"), answer("other", "Script completed\nOutput:\nok")), []);
  });

  test("is known after our own death, too, with what was typed to its end and is not kept", async () => {
    await using temp = await tempFolder();
    const file = join(temp.path, "thread.jsonl");
    const all = [
      typing("a", "one\n"),
      answer("a", "ok"),
      typing("b", "two\n"),
      answer("b", "ok"),
      script("c"),
    ];
    await writeFile(file, lines(begins("t"), ...all));
    const items = await unkeptTyping(file, "t", [{ kind: "call", args: { text: "one\n" } }]);
    assert.deepEqual(
      items.map(({ args, ok }) => [args, ok]),
      [
        [{ text: "two\n" }, true],
        [{ script: 'tools.write_stdin("c")' }, false],
      ],
    );
    assert.deepEqual(await unkeptTyping(undefined, "t", []), []);
  });
});
