import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import { parseDemoScript } from "../../fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../../fakes/demo-model.ts";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { type CodexTalaria, runs, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

const inTwoHours = Math.floor(systemClock.now() / 1000) + 2 * 3600;

/** What ChatGPT's backend says when a plan is used up. */
const usedUp = {
  http: {
    status: 429,
    headers: {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(inTwoHours),
    },
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: inTwoHours,
      },
    },
  },
};

describe("a plan that is used up in the middle of a turn on codex", { concurrency: 2 }, () => {
  test("the same turn is finished on the loop, which knows what codex did, and codex hears of it later", async () => {
    await using it = await talariaOnCodex([
      { reply: [{ text: "Looking." }, runs("echo owl")] },
      { reply: [usedUp] },
      says("Back on codex."),
    ]);
    await using spare = await withSpare(it, [
      { reply: [{ call: { tool: "session_search", args: { query: "owl" } } }] },
      says("It says owl."),
    ]);
    const turn = await it.turn(["what does it say?"]);
    assert.deepEqual([turn.code, turn.ended.outcome, turn.ended.text], [0, "done", "It says owl."]);
    assert.equal(turn.ended.fault, undefined);
    assert.equal(turn.ended.calls, 2);
    const [switched, ...more] = turn.notices("route_switched");
    assert.match(
      switched ?? "",
      /^mine says that the plan or budget is used up: .* finished on the loop runtime with spare-model\.$/,
    );
    assert.deepEqual(more, []);
    assert.equal(turn.lines.filter(({ type }) => type === "started").length, 1);

    const asked = JSON.stringify(spare.requests[0]?.body);
    for (const words of ["what does it say?", "Looking.", "echo owl", "codex has begun the work"]) {
      assert.equal(asked.split(words).length, 2, `once: ${words}`);
    }
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["done"]);

    const later = await it.turn(["--continue", "and now?"]);
    assert.deepEqual([later.code, later.ended.text], [0, "Back on codex."]);
    assert.equal(later.thread, turn.thread);
    assert.deepEqual(
      heard(it.model.requests.at(-1)).map((line) => line.replace(/^result .*/s, "result")),
      [
        "user what does it say?",
        "assistant Looking.",
        "call exec_command",
        "result",
        "call session_search",
        "result",
        "assistant It says owl.",
        "user and now?",
      ],
    );
  });

  test("without a fallback the turn ends with the time at which the plan comes back", async () => {
    await using it = await talariaOnCodex([{ reply: [usedUp] }]);
    const { code, ended, notices } = await it.turn(["hello"]);
    assert.equal(code, 1);
    assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "quota" } });
    assert.deepEqual(notices("route_switched"), []);
    const time = new Date(inTwoHours * 1000).toISOString().slice(11, 16);
    assert.match(ended.fault?.next ?? "", new RegExp(`^Try again after .* ${time} UTC`));
  });

  test("a fallback that fails too ends the turn with both reasons, and nothing of it is lost", async () => {
    await using it = await talariaOnCodex([{ reply: [usedUp] }, says("Now it works.")]);
    await using spare = await withSpare(it, [
      { reply: [{ http: { status: 401, body: { error: { message: "who are you?" } } } }] },
    ]);
    const { code, ended } = await it.turn(["hello"]);
    assert.equal(code, 1);
    assert.partialDeepStrictEqual(ended, { outcome: "failed", fault: { code: "quota" } });
    assert.match(ended.fault?.message ?? "", /used up.*The fallback failed too: spare .*who are you\?/);
    assert.equal(spare.total, 1);
    const later = await it.turn(["--continue", "and now?"]);
    assert.equal(later.ended.text, "Now it works.");
    assert.deepEqual(
      heard(it.model.requests.at(-1)).filter((line) => line.startsWith("user")),
      ["user hello", "user and now?"],
    );
  });
});

/** A second provider, which answers when the first one does not. */
async function withSpare(it: CodexTalaria, steps: readonly object[]): Promise<DemoModel> {
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  it.alsoAsks(model);
  const file = join(it.home, "config.yaml");
  const route = `providers: { spare: { api: "${model.url}", protocol: chat },`;
  const settings = (await readFile(file, "utf8")).replace("providers: {", route);
  await writeFile(file, `${settings}fallback_providers: [{ provider: spare, model: spare-model }]\n`);
  return model;
}
