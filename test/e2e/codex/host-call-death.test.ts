import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, test } from "node:test";
import { onDisk } from "../on-disk.ts";
import type { Talaria } from "../talaria.ts";
import { pidOf, processesOf, talariaOnCodex } from "./codex-talaria.ts";
import { whenChanged } from "./watching.ts";

const goal = "wait for the owls";
const task = { goal, runtime: "loop" };
const classic = { call: { tool: "delegate_task", args: task } };
const code = {
  custom: { tool: "exec", input: `text(await tools.talaria__delegate_task(${JSON.stringify(task)}));` },
};

const taskWords = `The task:\n${goal}\n`;
const endless = { call: { tool: "terminal", args: { command: "touch begun; sleep 605" } } };

describe("a host tool that runs for codex when Talaria is killed", { concurrency: 2 }, () => {
  for (const [model, call] of [
    ["gpt-5.5", classic],
    ["gpt-6.1-sol", code],
  ] as const)
    test(`is in the session afterwards, once, with an unknown outcome (${model})`, async () => {
      await using it = await talariaOnCodex([
        { when: "^work$", reply: [call] },
        { when: taskWords, reply: [endless] },
        { when: "^go on$", reply: [{ text: "Here again." }] },
      ]);
      const child = await it.startTurn(["--model", model, "--approve", "all", "work"]);
      await begun(it);
      child.signal("SIGKILL");
      await child.finished;
      const next = await it.turn(["--continue", "go on"]);
      assert.deepEqual([next.code, next.ended.text], [0, "Here again."]);
      assert.deepEqual(await processesOf(it), []);
      assert.match(
        next.notices("turn_recovered").join("\n"),
        /is kept as interrupted\..* Nobody can say how this ended: delegate_task wait for the owls\.$/,
      );
      const [session, ...others] = await onDisk(it.home);
      assert.deepEqual([session?.turns, others], [["interrupted", "done"], []]);
      const [user, made, result, ...rest] = session?.said ?? [];
      assert.deepEqual(
        [user, made, rest],
        ["user work", "assistant ", ["user go on", "assistant Here again."]],
      );
      assert.match(result ?? "", /^tool \[interrupted, outcome unknown\]/);
      const asked = JSON.stringify(it.model.requests.at(-1)?.body["input"]);
      assert.match(asked, /last words and results.*delegate_task.*interrupted, outcome unknown/);
    });

  test("is there as well when codex has written nothing of it down", async () => {
    await using it = await talariaOnCodex([
      { when: "^work$", reply: [classic] },
      { when: taskWords, reply: [endless] },
      { when: "^go on$", reply: [{ text: "Here again." }] },
    ]);
    const child = await it.startTurn(["--approve", "all", "work"]);
    await begun(it);
    // As in a power cut: codex is not left to write down how it ended.
    process.kill(await pidOf(it, /codex app-server/), "SIGSTOP");
    child.signal("SIGKILL");
    await child.finished;
    process.kill(await pidOf(it, /codex app-server/), "SIGKILL");
    const next = await it.turn(["--continue", "go on"]);
    assert.deepEqual([next.code, next.ended.text], [0, "Here again."]);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["interrupted", "done"]);
    const results = session?.said.filter((line) => line.startsWith("tool ")) ?? [];
    assert.equal(results.length, 1);
    assert.match(results[0] ?? "", /^tool \[interrupted, outcome unknown\]/);
  });
});

const begun = ({ cwd }: Talaria): Promise<void> =>
  whenChanged(cwd, async () => (await readdir(cwd)).includes("begun"));
