import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { editorOn, loadThread, newThread, textOf } from "../acp/thread.ts";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { noPty } from "../screen/pty.ts";
import { chatOn } from "../screen/tui.ts";
import { exported } from "./exported.ts";
import { endServing, normalised, serving } from "./serving.ts";

const asks = { call: { tool: "terminal", args: { command: "touch /etc/talaria-was-here" } } };

describe("attached, an editor and a screen show what they show alone", { concurrency: 2 }, () => {
  test("a turn with a question in an editor", async () => {
    const [alone, attached] = [await inEditor(false), await inEditor(true)];
    assert.deepEqual(attached.shown, alone.shown);
    assert.deepEqual(attached.sessions, alone.sessions);
    assert.deepEqual(attached.by, ["acp"]);
  });

  test("turns, commands and a stop on the screen", { skip: noPty }, async () => {
    const [alone, attached] = [await onScreen(false), await onScreen(true)];
    assert.equal(attached.shown, alone.shown);
    assert.deepEqual(attached.sessions, alone.sessions);
    assert.deepEqual(attached.by, ["tui"]);
  });
});

test(
  "two screens and an editor that are attached to one host see each other's words, once and in one order",
  {
    skip: noPty,
  },
  async () => {
    await using it = await talariaOn(["One.", "Two.", "Three.", "Four."].map(says));
    const host = await serving(it);
    {
      await using left = await chatOn(it);
      left.say("first");
      await left.shows(/› first\n\nOne\.\n· /);
      await using right = await chatOn(it, ["--continue"]);
      await right.shows(/› first\n\nOne\./);
      await using editor = await editorOn(it);
      const [session] = await onDisk(it.home);
      const thread = await loadThread(editor, it.cwd, session?.id ?? "");

      right.say("second");
      await right.shows(/› second\n\nTwo\.\n· /);
      await left.shows(/› second\n\nTwo\.\n· /);
      await thread.prompt("third");
      for (const screen of [left, right]) await screen.shows(/› third\n\nThree\.\n· /);
      left.say("fourth");
      for (const screen of [left, right]) await screen.shows(/› fourth\n\nFour\.\n· /);
      await editor.hears(() => thread.said().endsWith("Four."));

      const order = ["first", "One", "second", "Two", "third", "Three", "fourth", "Four"];
      for (const screen of [left, right])
        assert.deepEqual(screen.all().match(/first|One|second|Two|third|Three|fourth|Four/g), order);
      const theirs = editor.updates.map(({ update }) => update);
      assert.equal(textOf(theirs, "user_message_chunk"), "firstsecondfourth");
    }
    await endServing(host);
  },
);

async function inEditor(isAttached: boolean) {
  const script = [{ reply: [{ text: "I try." }, asks] }, says("Then not."), says("Yes.")];
  await using it = await talariaOn(script);
  const host = isAttached ? await serving(it) : undefined;
  const shown: unknown[] = [];
  {
    await using editor = await editorOn(it, {
      onAsk: async ({ options }) => {
        shown.push(options.map(({ name }) => name));
        return { outcome: { outcome: "selected", optionId: "deny" } };
      },
    });
    const thread = await newThread(editor, it.cwd);
    shown.push(await thread.prompt("first"), await thread.prompt("second"));
    shown.push(thread.said(), normalised(JSON.stringify(thread.calls()), it));
  }
  return { shown, by: host && (await endServing(host)), sessions: await exported(it) };
}

async function onScreen(isAttached: boolean) {
  await using it = await talariaOn([says("One."), hangs("Half an answer"), says("Two.")]);
  const host = isAttached ? await serving(it) : undefined;
  let shown = "";
  {
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/One\.\n· /);
    screen.say("/title A name");
    await screen.shows("A name");
    screen.say("second");
    await screen.shows("Half an answer");
    screen.press("ctrl+c");
    await screen.shows(/interrupted; what was finished is kept/);
    screen.say("third");
    await screen.shows(/Two\.\n· /);
    shown = normalised(screen.text(), it);
  }
  return { shown, by: host && (await endServing(host)), sessions: await exported(it) };
}
