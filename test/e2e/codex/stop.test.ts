import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hangs, says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { endless, endlessBegun, processesOf, runs, talariaOnCodex, told } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

describe("Ctrl+C in a turn on codex", { concurrency: 2 }, () => {
  test("ends a running command with all that it started; what was finished is kept, and the next turn works", async () => {
    await using it = await talariaOnCodex([
      { reply: [{ text: "First this.", phase: "commentary" }, runs("echo finished")] },
      { reply: [runs("setsid sleep 601 & sleep 602 & sleep 600")] },
      says("Good morning."),
    ]);
    const child = await it.startTurn(["sleep well"]);
    await child.shows(endlessBegun);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual(await processesOf(it), []);
    assert.deepEqual([stopped.code, stopped.signal, stopped.ended.outcome], [130, null, "interrupted"]);
    assert.partialDeepStrictEqual(stopped.items, [
      { kind: "text", text: "First this." },
      { kind: "call", output: "finished\n", ok: true },
      { kind: "call", ok: false },
    ]);

    const next = await it.turn(["--continue", "wake up"]);
    assert.deepEqual([next.code, next.ended.text], [0, "Good morning."]);
    assert.equal(next.ended.thread, stopped.ended.thread);
    assert.deepEqual([next.notices("turn_recovered"), next.notices("thread_seeded")], [[], []]);
    const [first, , call, result, ...rest] = heard(it.model.requests[2]);
    assert.deepEqual([first, call, rest.at(-1)], ["user sleep well", "call exec_command", "user wake up"]);
    assert.match(result ?? "", /finished/);
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["interrupted", "done"] }]);
  });

  test("ends an answer that is on its way, and keeps what was shown of it", async () => {
    await using it = await talariaOnCodex([hangs("So far I know"), says("Now I do.")]);
    const child = await it.startTurn(["what do you know?"]);
    await child.shows(/"type":"delta".*"text":" know"|"type":"delta".*know/);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual([stopped.code, stopped.ended.outcome], [130, "interrupted"]);
    const next = await it.turn(["--continue", "go on"]);
    assert.deepEqual([next.code, next.ended.text], [0, "Now I do."]);
    assert.deepEqual((await onDisk(it.home))[0]?.said, [
      "user what do you know?",
      "assistant So far I know",
      "user go on",
      "assistant Now I do.",
    ]);
  });
});

describe("a command without a sandbox", () => {
  test(
    "ends with the turn, even what has a session of its own",
    { skip: "what codex's commands start is found only while codex is its ancestor" },
    async () => {
      await using it = await talariaOnCodex([{ reply: [endless] }]);
      assert.deepEqual(await processesOf(it), []);
    },
  );
});
