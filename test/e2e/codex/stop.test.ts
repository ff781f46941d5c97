import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { endless, endlessBegun, processesOf, runs, talariaOnCodex, told } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

describe("Ctrl+C in a turn on codex", { concurrency: 2 }, () => {
  test("ends a running command with all that it started; what was finished is kept, and the next turn works", async () => {
    await using it = await talariaOnCodex([
      { reply: [{ text: "First this.", phase: "commentary" }, runs("echo finished")] },
      { reply: [endless] },
      says("Good morning."),
    ]);
    const child = await it.startTurn(["sleep well"]);
    await endlessBegun(it, child);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual(await processesOf(it), []);
    assert.deepEqual([stopped.code, stopped.signal, stopped.ended.outcome], [130, null, "interrupted"]);
    assert.partialDeepStrictEqual(stopped.items, [
      { kind: "text", text: "First this." },
      { kind: "call", output: "finished\n", ok: true },
      { kind: "call", ok: false },
    ]);
    const [, short, last] = stopped.items;
    assert.ok(short?.kind === "call" && short.durationMs !== 0, "codex says 0 of what it did not measure");
    assert.match(
      last?.kind === "call" ? last.output : "",
      /\[not finished: the turn was stopped; it was ended\]$/,
    );

    const next = await it.turn(["--continue", "wake up"]);
    assert.deepEqual([next.code, next.ended.text], [0, "Good morning."]);
    assert.equal(next.thread, stopped.thread);
    assert.deepEqual([next.notices("turn_recovered"), next.notices("thread_seeded")], [[], []]);
    const [first, , call, result, ...rest] = heard(it.model.requests[2]);
    assert.deepEqual([first, call, rest.at(-1)], ["user sleep well", "call exec_command", "user wake up"]);
    assert.match(result ?? "", /finished/);
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["interrupted", "done"] }]);
  });

  test("ends the command of a model that writes code, and says so", async () => {
    const input = 'await tools.exec_command({ cmd: "touch begun; sleep 602" });';
    await using it = await talariaOnCodex([{ reply: [{ custom: { tool: "exec", input } }] }]);
    const child = await it.startTurn(["--model", "gpt-6.1-sol", "sleep well"]);
    await endlessBegun(it, child);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual(await processesOf(it), []);
    const [call] = stopped.items;
    assert.match(
      call?.kind === "call" ? call.output : "",
      /\[not finished: the turn was stopped; it was ended\]$/,
    );
  });

  test("ends an answer that is on its way, and keeps what was shown of it", async () => {
    const slowly = [{ text: "one two three four five six", chunks: 27 }, { slow: { ms: 300 } }];
    await using it = await talariaOnCodex([{ reply: slowly }, says("Seven.")]);
    const child = await it.startTurn(["count"]);
    await child.shows(/"type":"delta"/);
    child.signal("SIGINT");
    const stopped = told(await child.finished);
    assert.deepEqual([stopped.code, stopped.ended.outcome], [130, "interrupted"]);
    const deltas = stopped.lines.filter(({ type }) => type === "delta").map(({ text }) => text);
    assert.partialDeepStrictEqual(stopped.items, [{ kind: "text", text: deltas.join("") }]);
    const next = await it.turn(["--continue", "go on"]);
    assert.deepEqual([next.code, next.ended.text], [0, "Seven."]);
    const [session] = await onDisk(it.home);
    const answers = [`assistant ${deltas.join("")}`, "assistant Seven."];
    assert.deepEqual(session?.said, ["user count", answers[0], "user go on", answers[1]]);
  });
});

/** Where codex's sandbox does not hold them, processes are found only as long as codex is their ancestor. */
describe("a command without a sandbox", () => {
  test("ends with the turn, together with all that it started", async () => {
    await using it = await talariaOnCodex([{ reply: [endless] }]);
    await appendFile(join(it.home, "config.yaml"), "terminal: { security_mode: unrestricted }\n");
    const child = await it.startTurn(["sleep well"]);
    await endlessBegun(it, child);
    child.signal("SIGINT");
    assert.equal((await child.finished).code, 130);
    assert.deepEqual(await processesOf(it), []);
  });
});
