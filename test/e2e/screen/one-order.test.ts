import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { editorOn, loadThread, textOf } from "../acp/thread.ts";
import { talariaOnCodex } from "../codex/codex-talaria.ts";
import { says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { noPty } from "./pty.ts";
import { chatOn } from "./tui.ts";

describe("one session on two screens and in an editor", { skip: noPty }, () => {
  test("everybody sees everybody's words and answers, in one order and once", async () => {
    await using it = await talariaOn(["One.", "Two.", "Three.", "Four."].map(says));
    await using left = await chatOn(it);
    left.say("first");
    await left.shows(/› first\n\nOne\.\n· /);
    const [session] = await onDisk(it.home);
    await using right = await chatOn(it, ["--resume", session?.id ?? ""]);
    await right.shows(/› first\n\nOne\./);
    await using editor = await editorOn(it);
    const thread = await loadThread(editor, it.cwd, session?.id ?? "");

    right.say("second");
    await right.shows(/› second\n\nTwo\.\n· /);
    await left.shows(/· This session went on elsewhere:\n\n› second\n\nTwo\./);
    await thread.prompt("third");
    await left.shows(/Two\.\n\n› third\n\nThree\./);
    await right.shows(/· This session went on elsewhere:\n\n› third\n\nThree\./);
    left.say("fourth");
    await left.shows(/Three\.\n\n› fourth\n\nFour\.\n· /);
    await right.shows(/Three\.\n\n› fourth\n\nFour\./);
    await editor.hears((update) => textOf([update], "agent_message_chunk").endsWith("Four."));

    const order = ["first", "One", "second", "Two", "third", "Three", "fourth", "Four"];
    for (const screen of [left, right])
      assert.deepEqual(screen.all().match(/first|One|second|Two|third|Three|fourth|Four/g), order);
    assert.match(thread.said(), /^One\.[^]*Two\.[^]*Three\.[^]*Four\.$/);
    const theirs = editor.updates.map(({ update }) => update);
    assert.equal(textOf(theirs, "user_message_chunk"), "firstsecondfourth");
  });

  test("the codex thread goes to whoever speaks, and nobody has to leave first", async () => {
    await using it = await talariaOnCodex(["One.", "Two.", "Three."].map(says));
    const options = { env: { TALARIA_RUNTIME: "codex" } };
    await using left = await chatOn(it, [], options);
    left.say("first");
    await left.shows(/› first\n\nOne\.\n· /);
    await using right = await chatOn(it, ["--continue"], options);
    await right.shows(/› first\n\nOne\./);
    right.say("second");
    await right.shows(/› second\n\nTwo\.\n· /);
    left.say("third");
    await left.shows(/Two\.\n\n› third\n\nThree\.\n· /);
    await right.shows(/Two\.\n[^]*› third\n\nThree\./);
    for (const screen of [left, right]) assert.doesNotMatch(screen.all(), /new codex thread/);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["done", "done", "done"]);
  });
});
