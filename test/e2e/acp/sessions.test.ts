import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type McpServer, methods } from "@agentclientprotocol/sdk";
import { conversation, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { editorOn, loadThread, newThread, textOf } from "./thread.ts";
import { worlds } from "./worlds.ts";
import { goesOn, isAttached, testAlone } from "../attached/with-host.ts";

for (const [name, world] of worlds) {
  describe(`a session that goes on, on ${name}`, () => {
    testAlone(goesOn, "is there after a kill, with all that was said and done, and goes on", async () => {
      const steps = [
        { reply: [world.change("notes.txt", "second", "2nd")] },
        says("Changed."),
        { reply: [{ text: "Let me" }, { hang: true }] },
        says("Still here."),
      ];
      await using it = await world.start(steps);
      await writeFile(join(it.cwd, "notes.txt"), "first\nsecond\n");
      let id = "";
      {
        await using editor = await editorOn(it);
        const thread = await newThread(editor, it.cwd);
        id = thread.id;
        await thread.prompt("change it");
        const lost = assert.rejects(thread.prompt("and now?"));
        await editor.hears(() => thread.said().includes("Let me"));
        process.kill(editor.pid, "SIGKILL");
        await lost;
        await editor.exited;
      }
      await using editor = await editorOn(it);
      const thread = await loadThread(editor, it.cwd, id);
      const replayed = editor.updates.map(({ update }) => update);
      assert.equal(textOf(replayed, "user_message_chunk"), "change itand now?");
      assert.deepEqual(thread.kinds().slice(0, 4), [
        "user_message_chunk",
        "tool_call",
        "agent_message_chunk",
        "user_message_chunk",
      ]);
      const path = join(it.cwd, "notes.txt");
      assert.partialDeepStrictEqual(thread.calls(), [
        {
          kind: "edit",
          status: "completed",
          content: [{ type: "diff", path, oldText: "first\nsecond\n", newText: "first\n2nd\n" }],
        },
      ]);
      assert.match(thread.said(), /^Changed\..*> talaria: Interrupted; what was finished is kept\.$/s);
      assert.deepEqual(await thread.prompt("go on"), { stopReason: "end_turn" });
      assert.match(thread.said(), /Still here\.$/);
      const [session, ...more] = await onDisk(it.home);
      assert.deepEqual([session?.turns, more], [["done", "interrupted", "done"], []]);
    });

    test("shows what another process has added before its next prompt is answered", async () => {
      await using it = await world.start([says("One."), says("Two."), says("Three.")]);
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      await thread.prompt("first");
      const elsewhere = await it.run(["run", "--runtime", "loop", "--session", thread.id, "second"]);
      assert.equal(elsewhere.stdout, "Two.\n");
      await thread.prompt("third");
      assert.equal(
        textOf(
          editor.updates.map(({ update }) => update),
          "user_message_chunk",
        ),
        "second",
      );
      // With a host it is told as it happens.
      const told = isAttached
        ? /One\.[^]*Two\.[^]*Three\.$/
        : /One\.[^]*went on elsewhere:[^]*Two\.[^]*Three\.$/;
      assert.match(thread.said(), told);
    });
  });
}

describe("sessions in an editor", { concurrency: 2 }, () => {
  test("are listed with those of other surfaces, resumed without their history, forked, closed and deleted", async () => {
    await using it = await talariaOn([says("One."), says("Two."), says("Three."), says("Four.")]);
    const { lines } = await it.run(["run", "--json", "from a terminal"]);
    const there = String(lines[0]?.session);
    await using editor = await editorOn(it);
    const { agent } = editor;
    const { session } = methods.agent;
    const thread = await newThread(editor, it.cwd);
    await thread.prompt("from the editor");
    const { sessions, nextCursor } = await agent.request(session.list, { cwd: it.cwd });
    assert.deepEqual(
      sessions.map(({ sessionId, title, cwd }) => [sessionId, title, cwd]),
      [
        [thread.id, "from the editor", it.cwd],
        [there, "from a terminal", it.cwd],
      ],
    );
    assert.deepEqual(
      [nextCursor ?? null, (await agent.request(session.list, { cwd: "/" })).sessions],
      [null, []],
    );

    const before = editor.updates.length;
    await agent.request(session.resume, { sessionId: there, cwd: it.cwd });
    await agent.request(session.prompt, { sessionId: there, prompt: [{ type: "text", text: "go on" }] });
    const since = editor.updates.slice(before).map(({ update }) => update);
    assert.deepEqual(
      [textOf(since, "user_message_chunk"), textOf(since, "agent_message_chunk")],
      ["", "Three."],
    );

    const { sessionId: copy } = await agent.request<{ sessionId: string }>("session/fork", {
      sessionId: there,
      cwd: it.cwd,
      mcpServers: [],
    });
    await agent.request(session.prompt, { sessionId: copy, prompt: [{ type: "text", text: "in the copy" }] });
    assert.deepEqual(conversation(it.model.requests.at(-1)).slice(-5), [
      "from a terminal",
      "One.",
      "go on",
      "Three.",
      "in the copy",
    ]);

    await agent.request(session.close, { sessionId: copy });
    await assert.rejects(
      agent.request(session.prompt, { sessionId: copy, prompt: [{ type: "text", text: "closed" }] }),
      { code: -32_002 },
    );
    await agent.request(session.delete, { sessionId: there });
    assert.deepEqual(
      (await onDisk(it.home)).map(({ id }) => id),
      [copy, thread.id],
    );
    for (const sessionId of [there, thread.id.slice(0, 8), "nothing"])
      await assert.rejects(agent.request(session.load, { sessionId, cwd: it.cwd, mcpServers: [] }), {
        code: -32_002,
      });
  });

  test("work in the folder that the editor names, and say so when it is another one than before", async () => {
    await using it = await talariaOn([
      { reply: [{ call: { tool: "terminal", args: { command: "pwd" } } }] },
      says("There."),
      { reply: [{ call: { tool: "terminal", args: { command: "pwd" } } }] },
      says("Here."),
    ]);
    const other = join(it.folder, "other");
    await mkdir(other);
    await using editor = await editorOn(it);
    await assert.rejects(newThread(editor, join(it.folder, "missing")), /there is no such folder\. Give/);
    await assert.rejects(newThread(editor, "work"), /there is no such folder/);
    const thread = await newThread(editor, it.cwd);
    await thread.prompt("where?");
    const again = await loadThread(editor, other, thread.id);
    await again.prompt("and now?");
    assert.match(again.said(), new RegExp(`has worked in ${it.cwd}\\..*works in ${other}\\.`, "s"));
    const outputs = again.calls().map(({ content }) => JSON.stringify(content));
    assert.ok(outputs[0]?.includes(it.cwd) && outputs[1]?.includes(other), outputs.join("\n"));
  });

  test("that are opened once more go on with what runs in them", async () => {
    const slowly = [{ text: "one two three four", chunks: 18 }, { slow: { ms: 100 } }];
    await using it = await talariaOn([{ reply: slowly }]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    await editor.agent.request(methods.agent.session.resume, { sessionId: thread.id, cwd: it.cwd });
    const prompt = thread.prompt("count");
    await editor.hears(() => thread.said() !== "");
    await loadThread(editor, it.cwd, thread.id);
    assert.deepEqual(await prompt, { stopReason: "end_turn" });
    assert.match(thread.said(), /four$/);
  });

  test("say once what of the editor's wishes cannot be: as a notice where it can be shown, else with the first prompt", async () => {
    const mcpServers: McpServer[] = [{ name: "tracker", command: "tracker", args: [], env: [] }];
    for (const notices of [false, true]) {
      await using it = await talariaOn([says("One."), says("Two.")]);
      const capabilities = notices ? { session: { notices: {} } } : {};
      await using editor = await editorOn(it, { capabilities });
      const { agent } = editor;
      for (const text of ["one", "two"]) {
        const { sessionId } = await agent.request(methods.agent.session.new, { cwd: it.cwd, mcpServers });
        await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
      }
      const updates = editor.updates.map(({ update }) => update);
      const said = textOf(updates, "agent_message_chunk");
      const told = updates.filter(({ sessionUpdate }) => sessionUpdate === "notice");
      const words = /Not used: the editor's MCP servers \(tracker\)/g;
      assert.deepEqual([[...said.matchAll(words)].length, told.length], notices ? [0, 1] : [1, 0]);
      if (notices)
        assert.partialDeepStrictEqual(told[0], {
          severity: "warning",
          title: "Not used: the editor's MCP servers (tracker).",
        });
      assert.equal([...editor.stderr().matchAll(words)].length, 1);
    }
  });
});
