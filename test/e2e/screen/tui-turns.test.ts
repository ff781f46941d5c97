import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import type { Talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { chatOn, running } from "./tui.ts";

const whenBusy = ({ home }: Talaria, mode: string): Promise<void> =>
  appendFile(join(home, "config.yaml"), `display: { busy_input_mode: ${mode} }\n`);

describe("turns on the screen", { skip: noPty, concurrency: 2 }, () => {
  for (const key of ["ctrl+c", "escape"] as const)
    test(`${key} stops a turn, what had come is kept, and one goes on`, async () => {
      await using it = await talariaOn([hangs("Half an answer"), says("Whole.")]);
      await using screen = await chatOn(it);
      screen.say("first");
      await screen.shows("Half an answer");
      screen.press(key);
      await screen.shows(/Half an answer\n· interrupted; what was finished is kept · .*\n─/);
      assert.ok(!screen.text().includes(running));
      screen.say("second");
      await screen.shows(/› second\n\nWhole\.\n· /);
      const [session] = await onDisk(it.home);
      assert.deepEqual(session?.turns, ["interrupted", "done"]);
      assert.deepEqual(session?.said, [
        "user first",
        "assistant Half an answer",
        "user second",
        "assistant Whole.",
      ]);
    });

  test("while the answer comes in, the line says so, and how full the model's context is stands below", async () => {
    await using it = await talariaOn([
      { reply: [{ text: "Whole." }, { usage: { input: 900, output: 100 } }] },
      hangs("Half an answer"),
    ]);
    const file = join(it.home, "config.yaml");
    const settings = await readFile(file, "utf8");
    await writeFile(file, settings.replace("protocol:", "context_window: 4000, protocol:"));
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/gpt-5\.5 · loop · ▕██░░░░▏ 25% of 4k$/m);
    screen.say("second");
    await screen.shows(/answering · \d+ s · Ctrl\+C stops/);
  });

  test("what is typed while a turn runs waits in line, is listed, is set aside by Stop, and can be sent then", async () => {
    await using it = await talariaOn([hangs("Half an answer"), says("Whole."), says("Last.")]);
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows("Half an answer");
    for (const words of ["second", "third"]) {
      screen.say(words);
      await screen.shows(new RegExp(`› ${words}\n {2}queued, runs after this turn`));
    }
    await screen.shows(/ · 2 queued · Ctrl\+C stops\n[^]*gpt-5\.5 · loop · 2 queued$/);
    screen.say("/queue");
    await screen.shows(/^› \/queue\n1 .* second\n2 .* third$/m);
    screen.press("ctrl+c");
    await screen.shows(
      /2 messages that waited were set aside[^]*› second\n {2}set aside, not sent[^]*› third/,
    );
    assert.equal(it.model.total, 1);
    const [before] = await onDisk(it.home);
    const shown = await it.run(["sessions", "show", String(before?.id)]);
    assert.match(shown.stdout, /^set aside second\nset aside third$/m);
    screen.press("up");
    await screen.shows(/^third$/m);
    screen.press("enter");
    await screen.shows(/Whole\.\n· /);
    screen.say("/queue");
    await screen.shows(/^Set aside, and not run by itself:\n1 .* second\n\/queue send/m);
    screen.say("/queue send 1");
    await screen.shows(/› second\n[^]*Last\.\n· /);
    screen.say("/queue");
    await screen.shows(/^› \/queue\nNothing waits\.$/m);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["interrupted", "done", "done"]);
    assert.deepEqual(
      session?.said.filter((line) => line.startsWith("user")),
      ["user first", "user third", "user second"],
    );
  });

  test("what waited runs when the turn is over", async () => {
    await using it = await talariaOn([says("One."), says("Two.")]);
    await using screen = await chatOn(it);
    screen.say("first");
    screen.say("second");
    await screen.shows(/› first\n\nOne\.\n· .*\n\n› second\n\nTwo\.\n· /);
    await screen.gone("queued");
  });

  test("with steer, what is typed joins the running turn", async () => {
    const command = "until test -e go; do sleep 0.05; done";
    await using it = await talariaOn([
      { reply: [{ call: { tool: "terminal", args: { command } } }] },
      says("Both."),
    ]);
    await whenBusy(it, "steer");
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/^. terminal {2}until test/m);
    screen.say("second");
    await screen.shows(/› second\n {2}joined the running turn/);
    await writeFile(join(it.cwd, "go"), "");
    await screen.shows(/✓ terminal {2}until test[^]*\n\nBoth\.\n· /);
    assert.equal(it.model.total, 2);
    assert.match(JSON.stringify(it.model.requests[1]?.body["input"]), /says meanwhile:\]\\nsecond"/);
    await screen.gone(running);
    assert.deepEqual((await onDisk(it.home))[0]?.turns, ["done"]);
  });

  test("with interrupt, what is typed ends the running turn and runs at once", async () => {
    await using it = await talariaOn([hangs("Half an answer"), says("Whole.")]);
    await whenBusy(it, "interrupt");
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows("Half an answer");
    screen.say("second");
    await screen.shows(/Half an answer\n· interrupted; .*\n\n› second\n\nWhole\.\n· /);
    assert.deepEqual((await onDisk(it.home))[0]?.turns, ["interrupted", "done"]);
  });
});
