import assert from "node:assert/strict";
import { appendFile, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import type { Talaria } from "../talaria.ts";
import { editorOn, newThread } from "./thread.ts";
import { worlds } from "./worlds.ts";

/** State and reason of every question, oldest first. */
async function ledger(it: Talaria): Promise<readonly (readonly unknown[])[]> {
  const { lines } = await it.run(["approvals", "list", "--json"]);
  return lines.toReversed().map((line) => [line["state"], line["why"]]);
}

for (const [name, world] of worlds) {
  describe(`what may be done is asked in the editor, on ${name}`, { concurrency: 2 }, () => {
    test("what was allowed is done, what was denied is not, and what was allowed for the session is not asked again", async () => {
      await using it = await world.start([
        { reply: [world.command("rm -f one")] },
        { reply: [world.command("rm -f two")] },
        { reply: [world.command("rm -f three")] },
        { reply: [world.command("rm -f three")] },
        says("Well."),
      ]);
      for (const file of ["one", "two", "three"]) await writeFile(join(it.cwd, file), "");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("tidy up");
      const first = await editor.asked();
      assert.deepEqual(first.request.options, [
        { optionId: "once", name: "Allow once", kind: "allow_once" },
        { optionId: "session", name: "Allow for this session", kind: "allow_always" },
        { optionId: "always", name: "Always allow exactly this", kind: "allow_always" },
        { optionId: "deny", name: "Deny", kind: "reject_once" },
      ]);
      const [shown] = thread.calls();
      assert.equal(first.request.toolCall.toolCallId, shown?.toolCallId);
      assert.partialDeepStrictEqual(first.request.toolCall, { title: "rm -f one", kind: "execute" });
      assert.match(JSON.stringify(first.request.toolCall.content), /command:.*rm -f one.*It deletes files/);
      first.answer("once");
      (await editor.asked()).answer("deny");
      (await editor.asked()).answer("session");
      assert.deepEqual(await prompt, { stopReason: "end_turn" });
      assert.deepEqual(await readdir(it.cwd), ["two"]);
      assert.deepEqual(
        thread.calls().map(({ title, status }) => [title, status]),
        [
          ["rm -f one", "completed"],
          ["rm -f two", "failed"],
          ["rm -f three", "completed"],
          ["rm -f three", "completed"],
        ],
      );
      assert.equal(thread.said(), "Well.");
      assert.deepEqual(await ledger(it), [
        ["once", "person"],
        ["denied", "person"],
        ["session", "person"],
        ["allowed", "grant"],
      ]);
    });

    test("an editor that gives up the question has given up the turn", async () => {
      await using it = await world.start([{ reply: [world.command("rm -f one")] }, says("Here.")]);
      await writeFile(join(it.cwd, "one"), "");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("tidy up");
      (await editor.asked()).answer("cancelled");
      assert.deepEqual(await prompt, { stopReason: "cancelled" });
      assert.deepEqual(await readdir(it.cwd), ["one"]);
      assert.deepEqual(await ledger(it), [["withdrawn", "withdrawn"]]);
      assert.deepEqual(await thread.prompt("are you there?"), { stopReason: "end_turn" });
      assert.equal(thread.said(), "Here.");
    });

    test("a Stop withdraws the question from the editor, and its late yes does nothing", async () => {
      await using it = await world.start([{ reply: [world.command("rm -f one")] }, says("Here.")]);
      await writeFile(join(it.cwd, "one"), "");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("tidy up");
      const asked = await editor.asked();
      await thread.cancel();
      assert.deepEqual(await prompt, { stopReason: "cancelled" });
      assert.equal(asked.signal.aborted, true);
      asked.answer("once");
      assert.deepEqual(await thread.prompt("are you there?"), { stopReason: "end_turn" });
      assert.deepEqual(await readdir(it.cwd), ["one"]);
      assert.deepEqual(await ledger(it), [["withdrawn", "withdrawn"]]);
    });

    test("an answer from elsewhere counts: the editor is told, and its late no changes nothing", async () => {
      await using it = await world.start([{ reply: [world.command("rm -f one")] }, says("Gone.")]);
      await writeFile(join(it.cwd, "one"), "");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("tidy up");
      const asked = await editor.asked();
      assert.equal((await it.run(["approvals", "answer", await openQuestion(it), "once"])).code, 0);
      assert.deepEqual(await prompt, { stopReason: "end_turn" });
      assert.equal(asked.signal.aborted, true);
      asked.answer("deny");
      assert.deepEqual(await readdir(it.cwd), []);
      assert.match(thread.said(), /rm -f one.*: allowed once by you\n\nGone\.$/);
      assert.deepEqual(await ledger(it), [["once", "person"]]);
    });

    test("a change of a file is asked about with the file before and after", async () => {
      await using it = await world.start([
        { reply: [world.change("notes.txt", "second", "2nd")] },
        says("Well."),
      ]);
      await appendFile(join(it.home, "config.yaml"), "terminal: { security_mode: approval-required }\n");
      const path = join(it.cwd, "notes.txt");
      await writeFile(path, "first\nsecond\n");
      await using editor = await editorOn(it);
      const thread = await newThread(editor, it.cwd);
      const prompt = thread.prompt("write");
      const { request, answer } = await editor.asked();
      const [diff, words] = request.toolCall.content ?? [];
      assert.deepEqual(diff, { type: "diff", path, oldText: "first\nsecond\n", newText: "first\n2nd\n" });
      assert.match(JSON.stringify(words), /change: 1 update: .*notes\.txt/);
      answer("once");
      assert.deepEqual(await prompt, { stopReason: "end_turn" });
      assert.equal(await readFile(path, "utf8"), "first\n2nd\n");
    });
  });
}

describe("questions in an editor", { concurrency: 2 }, () => {
  test("one that the editor cannot ask stays open, and it says where it can be answered", async () => {
    await using it = await talariaOn([
      { reply: [{ call: { tool: "terminal", args: { command: "rm -f one" } } }] },
      says("Kept."),
    ]);
    await writeFile(join(it.cwd, "one"), "");
    await using editor = await editorOn(it, {
      onAsk: () => Promise.reject(new Error("no window to ask in")),
    });
    const thread = await newThread(editor, it.cwd);
    const prompt = thread.prompt("tidy up");
    await editor.hears(() => thread.said().includes("The editor could not ask"));
    const [id = ""] = /apr_\w+/.exec(thread.said()) ?? [];
    assert.equal(id, await openQuestion(it));
    assert.equal((await it.run(["approvals", "answer", id, "deny"])).code, 0);
    assert.deepEqual(await prompt, { stopReason: "end_turn" });
    assert.deepEqual([await readdir(it.cwd), thread.said().endsWith("Kept.")], [["one"], true]);
  });

  test("one waits without a limit as long as the editor is there", async () => {
    await using it = await talariaOn([
      { reply: [{ call: { tool: "terminal", args: { command: "rm -f one" } } }] },
      says("Gone."),
    ]);
    await appendFile(join(it.home, "config.yaml"), "approvals: { timeout_s: 2 }\n");
    await writeFile(join(it.cwd, "one"), "");
    await using editor = await editorOn(it);
    const thread = await newThread(editor, it.cwd);
    const prompt = thread.prompt("tidy up");
    const { signal } = await editor.asked();
    const id = await openQuestion(it);
    while ((await waitsFor(it, id)) < 5000) assert.equal(signal.aborted, false);
    assert.equal((await it.run(["approvals", "answer", id, "once"])).code, 0);
    assert.deepEqual(await prompt, { stopReason: "end_turn" });
    assert.deepEqual(await readdir(it.cwd), []);
  });
});

/** From when it was asked until it would be over, in ms. */
async function waitsFor(it: Talaria, id: string): Promise<number> {
  const { stdout } = await it.run(["approvals", "show", id, "--json"]);
  const row = JSON.parse(stdout) as { askedAt: number; expiresAt: number; state: string };
  assert.equal(row.state, "pending");
  return row.expiresAt - row.askedAt;
}

/** The id of the one question that waits. */
async function openQuestion(it: Talaria): Promise<string> {
  const { stdout } = await it.run(["approvals", "list", "--pending"]);
  return /apr_\w+/.exec(stdout)?.[0] ?? "";
}
