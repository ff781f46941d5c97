import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { toolBox } from "./registry.ts";
import { leftBehind, terminalWorld } from "./terminal/terminal-world.suite.ts";
import type { Tool } from "./tool.ts";

after(async () => assert.deepEqual(await leftBehind(), [], "no process is left"));

const { signal } = new AbortController();

/** Collects what is told, and lets a test wait for something in it. */
function listener() {
  let told = "";
  let wake = Promise.withResolvers<void>();
  return {
    told: () => told,
    hear: (text: string): void => {
      told += text;
      wake.resolve();
      wake = Promise.withResolvers<void>();
    },
    async until(words: string): Promise<void> {
      while (!told.includes(words)) await wake.promise;
    },
  };
}

const deaf = (): void => {
  throw new Error("no screen");
};

describe("the terminal", { concurrency: 3 }, () => {
  test("shows output and errors while the command runs, and its result is the same as without", async () => {
    await using world = await terminalWorld("none");
    const command = "echo one; echo two >&2; until [ -e go ]; do sleep 0.02; done; echo three";
    const live = listener();
    const result = world.box.call("terminal", { command }, signal, live.hear);
    await live.until("two\n");
    assert.equal(live.told(), "one\ntwo\n");
    await writeFile(join(world.at.folder, "go"), "");
    const expected = { ok: true, output: "one\ntwo\nthree\n", exitCode: 0 };
    assert.deepEqual(await result, expected);
    assert.equal(live.told(), expected.output);
    assert.deepEqual(await world.box.call("terminal", { command }, signal), expected);
    assert.deepEqual(await world.box.call("terminal", { command }, signal, deaf), expected);
  });

  test("shows a character whole that comes in two pieces, and bytes that are no text as such", async () => {
    await using world = await terminalWorld("none");
    const live = listener();
    const split = "printf '\\303'; sleep 0.05; printf '\\244\\n'; printf 'a\\377\\000b\\n'";
    await world.box.call("terminal", { command: split }, signal, live.hear);
    assert.equal(live.told(), "ä\na\uFFFD\0b\n");
  });

  test("shows what a background process writes while it is waited for", async () => {
    await using world = await terminalWorld("none");
    const command = "echo before; until [ -e go ]; do sleep 0.02; done; echo after; sleep 0.1; echo end";
    await world.run({ command, background: true });
    const live = listener();
    const polled = world.box.call("process", { action: "poll", id: "p1", wait_s: 30 }, signal, live.hear);
    await writeFile(join(world.at.folder, "go"), "");
    await live.until("after\n");
    const { output } = await polled;
    assert.match(output, /^\[p1 ended, exit 0\]\n(before\n)?after\nend$/);
    assert.equal(live.told().replace("before\n", ""), "after\nend\n");
  });
});

test("a tool that goes on after its time shows nothing any more", async () => {
  const clock = fakeClock();
  let say: ((text: string) => void) | undefined;
  const slow: Tool = {
    name: "slow",
    description: "",
    schema: z.object({}),
    effect: "none",
    toolset: "test",
    timeoutMs: 1000,
    maxOutputChars: 100,
    run: (_args, { progress }) => {
      say = progress;
      say?.("working");
      return new Promise(() => {});
    },
  };
  await using world = await terminalWorld("none");
  const told: string[] = [];
  const called = toolBox([slow], { ...world.context, clock }).call("slow", {}, signal, (text) => {
    told.push(text);
  });
  await clock.advance(2000);
  assert.equal((await called).ok, false);
  say?.("late");
  assert.deepEqual(told, ["working"]);
});
