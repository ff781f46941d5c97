import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talaria } from "../talaria.ts";
import { capture } from "./capture.ts";
import { noPty } from "./pty.ts";
import { onScreen } from "./screen.ts";
import { chatOn, promptOf, running, shell } from "./tui.ts";
import { testAlone } from "../attached/with-host.ts";

const noted = { otherwise: [{ text: "Noted." }] };

describe("typing on the screen", { skip: noPty, concurrency: 2 }, () => {
  testAlone("it is open", "one can type before the host is open, and nothing of it is lost", async () => {
    await using it = await talaria();
    const settings = join(it.home, "config.yaml");
    await mkdir(it.home, { mode: 0o700 });
    // Whoever reads this waits until somebody writes.
    await shell(it, `mkfifo -m 600 ${settings}`);
    await using screen = await onScreen(it, [], { columns: 80, rows: 24 });
    await screen.shows(/^Talaria \d[^]*\n─+\n\n─+\nstarting…$/);
    screen.type("hello\rmy name");
    await screen.shows(/^my name$/m);
    assert.doesNotMatch(screen.text(), /Model:|Hello!/);
    await writeFile(settings, "display: { bell: false }\n");
    await screen.shows(/^Model: demo \(demo\)[^]*^› hello\n\nHello! I am/m);
    screen.type(" is Ada\r");
    await screen.shows(/› my name is Ada\n\nNice to meet you, Ada/);
    await screen.shows(/ tokens in, [^]* tokens in, /);
    await capture("first-run", screen);
  });

  test("an answer is seen while it comes", async () => {
    await using it = await talariaOn([hangs("The first words")]);
    await using screen = await chatOn(it);
    screen.say("tell me");
    await screen.shows(
      /› tell me\n\nThe first words\n. answering · \d+ s · Ctrl\+C stops\n─+\n\n─+\ngpt-5\.5 · loop$/,
    );
    assert.ok(!screen.raw().includes("queued"));
  });

  test("a message of several lines is typed or pasted, and only Enter sends it", async () => {
    await using it = await talariaOn(noted);
    await using screen = await chatOn(it);
    screen.type("one");
    screen.press("alt+enter");
    screen.type("two");
    screen.press("ctrl+j");
    screen.type("three");
    await screen.shows(/^three$/m);
    assert.equal(promptOf(screen), "one\ntwo\nthree");
    screen.press("enter");
    await screen.shows(/› one\n {2}two\n {2}three\n\nNoted\./);
    screen.paste("pasted\nlines\nhere");
    await screen.shows(/^here$/m);
    assert.equal(promptOf(screen), "pasted\nlines\nhere");
    screen.press("enter");
    await screen.shows(/› pasted\n {2}lines\n {2}here\n\nNoted\./);
    const long = Array.from({ length: 2_000 }, (_, at) => `line ${at}`).join("\n");
    screen.type("look: ");
    screen.paste(long);
    await screen.shows(/^look: \[paste #\d+ \+2000 lines\]$/m);
    screen.press("enter");
    await screen.shows(/… 1,980 more lines\n\nNoted\./);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.said, [
      "user one\ntwo\nthree",
      "assistant Noted.",
      "user pasted\nlines\nhere",
      "assistant Noted.",
      `user look: ${long}`,
      "assistant Noted.",
    ]);
  });

  test("what was said before comes back with Up, after a restart too", async () => {
    await using it = await talariaOn(noted);
    await using first = await chatOn(it);
    for (const words of ["older words", "newer words"]) {
      first.say(words);
      await first.shows(new RegExp(`› ${words}\n\nNoted`));
    }
    first.say("/quit");
    await first.ends();
    await using screen = await chatOn(it, [], { keyboard: "kitty" });
    screen.press("up");
    await screen.shows(/^newer words$/m);
    screen.press("up");
    await screen.shows(/^older words$/m);
    screen.press("down");
    await screen.shows(/^newer words$/m);
    screen.press("shift+enter");
    screen.say("again");
    await screen.shows(/› newer words\n {2}again\n\nNoted\./);
  });

  test("characters that are wide, composed or from the right stay whole, in the prompt and in answers", async () => {
    const family = "👩‍👩‍👧‍👦";
    await using it = await talariaOn([says(`漢字 e\u0301 ${family} مرحبا.`)]);
    await using screen = await chatOn(it);
    screen.type(`a漢字e\u0301${family}`);
    await screen.shows(`a漢字e\u0301${family}`);
    await screen.cursorIn(8);
    for (const [left, columns] of [
      ["a漢字e\u0301", 6],
      ["a漢字", 5],
      ["a漢", 3],
    ] as const) {
      screen.press("backspace");
      await screen.shows(new RegExp(`^${left}$`, "m"));
      await screen.cursorIn(columns);
    }
    screen.type("مرحبا");
    await screen.shows(/^a漢مرحبا$/m);
    screen.press("home", "delete", "enter");
    // Terminals do not agree on the width of a family, so its members stand side by side in an answer.
    await screen.shows(/› 漢مرحبا\n\n漢字 e\u0301 👩👩👧👦 مرحبا\.$/m);
    await screen.gone(running);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.said, ["user 漢مرحبا", `assistant 漢字 e\u0301 ${family} مرحبا.`]);
  });
});
