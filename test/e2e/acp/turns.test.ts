import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { editorOn, newThread, textOf } from "./thread.ts";
import { worlds } from "./worlds.ts";

for (const [name, world] of worlds) {
  describe(`a turn in an editor, on ${name}`, { concurrency: 2 }, () => {
    test("is streamed as it comes, thoughts apart from words, and kept", async () => {
      const reply = [
        { reasoning: { summary: "Somebody is polite." } },
        { text: "Good morning to you.", chunks: 4 },
      ];
      await using it = await world.start([{ reply }, says("And good night.")]);
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      assert.deepEqual(await thread.prompt("hello"), { stopReason: "end_turn" });
      assert.equal(thread.said(), "Good morning to you.");
      assert.ok(thread.kinds().filter((kind) => kind === "agent_message_chunk").length >= 3);
      const thoughts = editor.updates.map(({ update }) => update);
      assert.match(textOf(thoughts, "agent_thought_chunk"), /^Somebody is polite\./);
      assert.deepEqual(await thread.prompt("bye"), { stopReason: "end_turn" });
      const [session, ...more] = await onDisk(it.home);
      assert.deepEqual([session?.id, more], [thread.id, []]);
      assert.deepEqual(session?.said, [
        "user hello",
        "assistant Good morning to you.",
        "user bye",
        "assistant And good night.",
      ]);
    });

    test("shows its calls: kind, title, place, output and what was changed in a file, before and after", async () => {
      await using it = await world.start([
        { reply: [world.command("echo one; echo two")] },
        { reply: [world.change("notes.txt", "second", "2nd")] },
        says("Done."),
      ]);
      const [before, after] = ["first\nsecond\nthird\n", "first\n2nd\nthird\n"];
      await writeFile(join(it.cwd, "notes.txt"), before);
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      assert.deepEqual(await thread.prompt("work"), { stopReason: "end_turn" });
      const [command, change, ...more] = thread.calls();
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(command, {
        kind: "execute",
        title: "echo one; echo two",
        status: "completed",
        rawOutput: { exitCode: 0 },
        content: [{ type: "content", content: { type: "text", text: "```\none\ntwo\n```" } }],
      });
      const path = join(it.cwd, "notes.txt");
      assert.partialDeepStrictEqual(change, { kind: "edit", status: "completed", locations: [{ path }] });
      const [diff] = change?.content ?? [];
      assert.partialDeepStrictEqual(diff, { type: "diff", path, oldText: before, newText: after });
      assert.equal(await readFile(path, "utf8"), after);
      assert.equal(thread.said(), "Done.");
    });

    test("is stopped by the editor: what was finished is kept, and what is sent right behind the Stop runs", async () => {
      const slowly = [{ text: "one two three four five six", chunks: 27 }, { slow: { ms: 300 } }];
      await using it = await world.start([{ reply: slowly }, says("Seven.")]);
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const first = thread.prompt("count");
      await editor.hears(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
      await thread.cancel();
      const second = thread.prompt("go on");
      assert.deepEqual(await first, { stopReason: "cancelled" });
      assert.deepEqual(await second, { stopReason: "end_turn" });
      assert.match(thread.said(), /^o.*Seven\.$/s);
      const [session] = await onDisk(it.home);
      assert.deepEqual(session?.turns, ["interrupted", "done"]);
      assert.equal(session?.said.at(-1), "assistant Seven.");
    });

    test("that fails is told with what to do next, in the conversation and as the answer", async () => {
      const refused = { http: { status: 401, body: { error: { message: "no such key" } } } };
      await using it = await world.start({ otherwise: [refused] });
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      await assert.rejects(thread.prompt("hello"), /no such key.*[.] .*MINE_KEY/s);
      assert.match(thread.said(), /> talaria: .*no such key.*\n> → .*MINE_KEY/s);
    });
  });
}

describe("prompts in an editor", { concurrency: 2 }, () => {
  test("that come while another one runs wait for their turn, and a Stop sets them aside", async () => {
    const slowly = [{ text: "one two three", chunks: 14 }, { slow: { ms: 60 } }];
    await using it = await talariaOn([
      { reply: slowly },
      says("Four."),
      { reply: [{ text: "Hm." }, { hang: true }] },
    ]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const answers = await Promise.all([thread.prompt("count"), thread.prompt("go on")]);
    assert.deepEqual(answers, [{ stopReason: "end_turn" }, { stopReason: "end_turn" }]);
    assert.equal(thread.said(), "one two three\n\nFour.");
    const stuck = [thread.prompt("think"), thread.prompt("and then?")];
    await editor.hears(() => thread.said().endsWith("Hm."));
    await thread.cancel();
    assert.deepEqual(await Promise.all(stuck), [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    const [session] = await onDisk(it.home);
    // The last one may have come to the host just behind the Stop, which is said again for it then.
    const { turns = [] } = session ?? {};
    assert.deepEqual(turns.slice(0, 3), ["done", "done", "interrupted"]);
    assert.ok(
      turns.slice(3).every((ended) => ended === "interrupted"),
      turns.join(),
    );
    assert.equal(it.model.requests.length, 3);
  });

  test("that are stopped in the same moment end at once", async () => {
    await using it = await talariaOn({ otherwise: [{ hang: true }] });
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const prompt = thread.prompt("hello");
    await thread.cancel();
    assert.deepEqual(await prompt, { stopReason: "cancelled" });
  });

  test("bring pictures, files and mentions to the model", async () => {
    await using it = await talariaOn([says("I see.")]);
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const uri = `file://${it.cwd}/a%20b.txt`;
    await thread.prompt([
      { type: "text", text: "Compare " },
      { type: "resource_link", name: "a b.txt", uri },
      { type: "text", text: " with " },
      { type: "resource", resource: { uri: `file://${it.cwd}/c.txt`, text: "see\n```\nfence" } },
      { type: "image", mimeType: "image/png", data: dot },
    ]);
    const [message] = (it.model.requests[0]?.body["input"] ?? []) as readonly {
      content: readonly object[];
    }[];
    assert.deepEqual(message?.content, [
      {
        type: "input_text",
        text: `Compare ${it.cwd}/a b.txt with ${it.cwd}/c.txt\n\n${it.cwd}/c.txt:\n\`\`\`\`\nsee\n\`\`\`\nfence\n\`\`\`\``,
      },
      { type: "input_image", image_url: `data:image/png;base64,${dot}` },
    ]);
    await assert.rejects(
      thread.prompt([{ type: "image", mimeType: "image/png", data: "AAAA" }]),
      /A picture cannot be read\. Use PNG/,
    );
    await assert.rejects(thread.prompt([{ type: "audio", mimeType: "audio/wav", data: "AAAA" }]), /sound/);
    assert.equal(it.model.requests.length, 1);
  });

  test("show what a command writes while it runs, whole or in pieces as the editor can", async () => {
    const script = [
      {
        reply: [
          {
            call: {
              tool: "terminal",
              args: { command: "echo begun; while [ ! -e go ]; do sleep 0.05; done" },
            },
          },
        ],
      },
      says("Done."),
    ];
    for (const terminals of [false, true]) {
      await using it = await talariaOn(script);
      await using editor = await editorOn(it, { capabilities: { _meta: { terminal_output: terminals } } });
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("work");
      const { update } = await editor.hears(
        (each) => each.sessionUpdate === "tool_call_update" && JSON.stringify(each).includes("begun"),
      );
      const id = "toolCallId" in update ? update.toolCallId : "";
      await writeFile(join(it.cwd, "go"), "");
      assert.deepEqual(await prompt, { stopReason: "end_turn" });
      const [call] = thread.calls();
      assert.equal(call?.status, "completed");
      if (!terminals) continue;
      const piece = { terminal_id: id, data: "begun\n" };
      assert.partialDeepStrictEqual(update, { _meta: { terminal_output: piece } });
      assert.partialDeepStrictEqual(call, {
        content: [{ type: "terminal", terminalId: id }],
        _meta: { terminal_exit: { terminal_id: id, exit_code: 0, signal: null } },
      });
    }
  });
});

/** A whole picture of one dot. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
