import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type SessionConfigOption, methods } from "@agentclientprotocol/sdk";
import { talariaOnCodex } from "../codex/codex-talaria.ts";
import { says, talariaOn } from "../endpoint.ts";
import { editorOn, newThread } from "./thread.ts";

const { session } = methods.agent;

const valueOf = (options: readonly SessionConfigOption[] | null | undefined, id: string): unknown =>
  options?.find((option) => option.id === id)?.currentValue;

describe("what can be chosen in an editor", { concurrency: 2 }, () => {
  test("runtime and model: before the first message and after it, and the next turn has them", async () => {
    await using it = await talariaOnCodex([says("One."), says("Two."), says("Three.")]);
    const file = join(it.home, "config.yaml");
    const settings = await readFile(file, "utf8");
    await writeFile(
      file,
      settings.replace("key_env: MINE_KEY", "key_env: MINE_KEY, models: [gpt-5.5, gpt-5.4]"),
    );
    await using editor = await editorOn(it);
    const { agent } = editor;
    const thread = await newThread(editor, it.cwd);
    const { opened, id: sessionId } = thread;
    assert.equal(opened.modes?.currentModeId, "loop");
    assert.deepEqual(
      opened.configOptions?.map(({ id, category, currentValue }) => [id, category, currentValue]),
      [
        ["runtime", "mode", "loop"],
        ["model", "model", "gpt-5.5"],
        ["effort", "thought_level", "default"],
      ],
    );
    const chosen = await agent.request(session.setConfigOption, {
      sessionId,
      configId: "model",
      value: "gpt-5.4",
    });
    assert.equal(valueOf(chosen.configOptions, "model"), "gpt-5.4");
    await thread.prompt("one");
    assert.equal(it.model.requests[0]?.body["model"], "gpt-5.4");

    await agent.request(session.setMode, { sessionId, modeId: "codex" });
    await thread.prompt("two");
    assert.equal(it.model.requests[1]?.body["model"], "gpt-5.4");
    const resumed = await agent.request(session.resume, { sessionId, cwd: it.cwd });
    assert.equal(resumed.modes?.currentModeId, "codex");

    const harder = await agent.request(session.setConfigOption, {
      sessionId,
      configId: "effort",
      value: "high",
    });
    assert.equal(valueOf(harder.configOptions, "effort"), "high");
    for (const [configId, value] of [
      ["model", "gpt-4"],
      ["effort", "default"],
      ["colour", "red"],
    ] as const)
      await assert.rejects(agent.request(session.setConfigOption, { sessionId, configId, value }), {
        code: -32_602,
      });
    await assert.rejects(agent.request(session.setMode, { sessionId, modeId: "abacus" }), /abacus/);
  });

  test("codex is refused with the reason when it cannot be used, and nothing is changed", async () => {
    await using it = await talariaOn([says("Still me.")]);
    const file = join(it.home, "config.yaml");
    const settings = await readFile(file, "utf8");
    await writeFile(file, settings.replace("openai_runtime: auto", "codex_bin: /nowhere/codex"));
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const wanted = { sessionId: thread.id, modeId: "codex" };
    await assert.rejects(editor.agent.request(session.setMode, wanted), /\/nowhere\/codex.*\. [A-Z]/s);
    assert.deepEqual(await thread.prompt("who are you?"), { stopReason: "end_turn" });
    assert.equal(thread.said(), "Still me.");
  });

  test("a session that could not run is told so when it is opened, where the editor can show it", async () => {
    await using it = await talariaOn([]);
    const file = join(it.home, "config.yaml");
    const settings = await readFile(file, "utf8");
    const broken = "openai_runtime: codex_app_server, codex_bin: /nowhere/codex";
    await writeFile(file, settings.replace("openai_runtime: auto", broken));
    await using editor = await editorOn(it, { capabilities: { session: { notices: {} } } });
    const thread = await newThread(editor, it.cwd);
    const { update } = await editor.hears(({ sessionUpdate }) => sessionUpdate === "notice");
    assert.match(update.sessionUpdate === "notice" ? update.title : "", /\/nowhere\/codex/);
    await assert.rejects(thread.prompt("hello"), /\/nowhere\/codex/);
  });

  test("commands are offered, run without a model, and what they choose is told", async () => {
    await using it = await talariaOnCodex([says("One."), says("Two.")]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const { update } = await editor.hears(
      ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
    );
    const offered = update.sessionUpdate === "available_commands_update" ? update.availableCommands : [];
    assert.partialDeepStrictEqual(
      offered.find(({ name }) => name === "runtime"),
      { input: { hint: "[loop | codex]" } },
    );
    const answered = editor.lines.findIndex((line) => line.includes('"configOptions"'));
    assert.ok(editor.lines.findIndex((line) => line.includes("available_commands_update")) > answered);
    const names = offered.map(({ name }) => name);
    assert.deepEqual(
      ["new", "resume", "fork", "quit", "yolo"].filter((name) => names.includes(name)),
      [],
    );

    for (const line of ["/help", "/status", "/nothing", "/new", "/resume"])
      assert.deepEqual(await thread.prompt(line), { stopReason: "end_turn" });
    assert.match(thread.said(), /```\nSession\n.*There is no command \/nothing.*Open a new thread/s);
    assert.equal(it.model.requests.length, 0);

    assert.deepEqual(await thread.prompt("/runtime codex"), { stopReason: "end_turn" });
    await editor.hears(
      (each) => each.sessionUpdate === "current_mode_update" && each.currentModeId === "codex",
    );
    await editor.hears(
      (each) =>
        each.sessionUpdate === "config_option_update" && valueOf(each.configOptions, "runtime") === "codex",
    );
    assert.deepEqual(await thread.prompt("hello"), { stopReason: "end_turn" });
    assert.deepEqual(await thread.prompt("/retry"), { stopReason: "end_turn" });
    assert.match(thread.said(), /One\..*Again: hello.*Two\.$/s);
    assert.deepEqual(await thread.prompt("/title About owls"), { stopReason: "end_turn" });
    await editor.hears((each) => each.sessionUpdate === "session_info_update" && each.title === "About owls");
    assert.equal(it.model.requests.length, 2);
  });
});
