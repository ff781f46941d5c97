import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { type Told, runs, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

const loop = ["--continue", "--runtime", "loop"] as const;

/** What the model was told, without what codex adds to the output of a command. */
const plainly = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^result "(?:Chunk ID: .*Output:\\n)?(.*)\\n"$/, "result $1"));

const notices = (turn: Told): number => turn.notices("thread_seeded").length;

describe("switching between loop and codex in one conversation", { concurrency: 2 }, () => {
  test("each side knows all that was said on the other, and nothing twice", async () => {
    await using it = await talariaOnCodex([
      says("One."),
      { reply: [runs("echo owl")] },
      says("Two."),
      ...["Three.", "Four.", "Five.", "Six."].map(says),
    ]);
    const first = await it.turn(["--runtime", "loop", "first"]);
    const second = await it.turn(["--continue", "second"]);
    const third = await it.turn([...loop, "third"]);
    const fourth = await it.turn([...loop, "fourth"]);
    const fifth = await it.turn(["--continue", "fifth"]);
    const sixth = await it.turn(["--continue", "sixth"]);
    const turns = [first, second, third, fourth, fifth, sixth];
    assert.deepEqual(
      turns.map(({ code, lines }) => [code, lines[0]?.["runtime"]]),
      ["loop", "codex", "loop", "loop", "codex", "codex"].map((name) => [0, name]),
    );
    assert.deepEqual(turns.map(notices), [0, 1, 0, 0, 0, 0], "only the first thread is a new one");
    assert.deepEqual([fifth.thread, sixth.thread], [second.thread, second.thread]);

    const before = ["user first", "assistant One."];
    const onCodex = ["user second", "call exec_command", "result owl", "assistant Two."];
    const onLoop = ["user third", "assistant Three.", "user fourth", "assistant Four."];
    const all = [...before, ...onCodex, ...onLoop, "user fifth", "assistant Five.", "user sixth"];
    // How much of it each request of the model had to hold.
    for (const [at, known] of [1, 3, 5, 7, 9, 11, 13].entries()) {
      assert.deepEqual(plainly(heard(it.model.requests[at])), all.slice(0, known), `request ${at + 1}`);
    }
  });

  test("what codex did and has no other row is in the history that models and exports get, once", async () => {
    const plan = [{ step: "look", status: "completed" }];
    const shown = "[Plan:\n[x] look]";
    const inCode = `await tools.update_plan(${JSON.stringify({ plan })});`;
    for (const [model, call] of [
      ["gpt-5.5", { call: { tool: "update_plan", args: { plan } } }],
      ["gpt-6.1-sol", { custom: { tool: "exec", input: inCode } }],
    ] as const) {
      await using it = await talariaOnCodex([{ reply: [call] }, ...["One.", "Two.", "Three."].map(says)]);
      await appendFile(join(it.codexHome, "config.toml"), "\n[tools.update_plan]\nenabled = true\n");
      const first = await it.turn(["--model", model, "first"]);
      assert.deepEqual([first.code, first.ended.text], [0, "One."], model);
      await it.turn(["--continue", "--model", model, "second"]);
      assert.ok(!heard(it.model.requests.at(-1)).join("\n").includes("[Plan:"), "codex knows it already");
      await it.turn([...loop, "third"]);
      assert.deepEqual(
        heard(it.model.requests.at(-1)),
        ["user first", `assistant ${shown}\n\nOne.`, "user second", "assistant Two.", "user third"],
        model,
      );
      const exported = await it.run(["sessions", "export", String(first.lines[0]?.["session"])]);
      assert.equal(exported.stdout.split(JSON.stringify(shown).slice(1, -1)).length, 2, exported.stdout);
    }
  });

  test("a turn that codex does not even start leaves nothing to be told twice", async () => {
    await using it = await talariaOnCodex(["One.", "Two.", "Four."].map(says));
    await it.turn(["first"]);
    await it.turn([...loop, "second"]);
    {
      using db = new DatabaseSync(join(it.home, "talaria.db"));
      db.exec("update session set effort = ''"); // which codex does not take, and no surface lets through
    }
    const third = await it.turn(["--continue", "third"]);
    assert.partialDeepStrictEqual(third, { code: 1, ended: { outcome: "failed" } });
    assert.match(third.ended.fault?.message ?? "", /reasoning_effort must not be empty/);
    const fourth = await it.turn(["--continue", "--effort", "low", "fourth"]);
    assert.deepEqual([fourth.code, notices(fourth)], [0, 0]);
    assert.deepEqual(
      heard(it.model.requests[2]).filter((line) => line.startsWith("user")),
      ["user first", "user second", "user third", "user fourth"],
    );
  });
});
