import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { says, scriptedRuntime } from "../../test/fakes/scripted-runtime.ts";
import { input, testHome } from "../../test/fakes/test-agent.ts";
import type { Attended } from "../core/host.ts";
import { newId } from "../core/ids.ts";
import { messageText } from "../core/messages.ts";
import type { Agent } from "./index.ts";

/** Which turns were unattended, by what was said; the one that says "hand on" waits for a task of its own. */
async function unattendedTurns(attended: Attended): Promise<Readonly<Record<string, boolean>>> {
  await using home = await testHome();
  const found: Record<string, boolean> = {};
  let agent: Agent | undefined;
  const runtime = scriptedRuntime(async function* (turn) {
    const text = messageText({ role: "user", content: turn.input });
    found[text] = turn.unattended === true;
    if (text === "hand on") {
      const session = {
        id: newId("ses", 1),
        cwd: turn.cwd,
        surface: "delegate",
        audience: "owner" as const,
        parent: turn.session,
      };
      await (
        await agent?.send(input("task", { session, attended: "none" }))
      )?.ended;
    }
    yield* says("Done.", turn);
  });
  agent = await home.open(runtime);
  await (
    await agent.send(input("hand on", { attended }))
  ).ended;
  return found;
}

describe("a turn that nobody attends", { timeout: 60_000 }, () => {
  test("is told to its runtime, with the tasks that it hands on", async () => {
    assert.deepEqual(await unattendedTurns("none"), { "hand on": true, task: true });
  });

  test("is none where somebody can be asked, and neither is a task that asks through it", async () => {
    assert.deepEqual(await unattendedTurns("ask"), { "hand on": false, task: false });
    assert.deepEqual(await unattendedTurns("all"), { "hand on": false, task: false });
  });
});
