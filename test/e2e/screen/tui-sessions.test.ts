import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { conversation, hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talaria } from "../talaria.ts";
import { capture } from "./capture.ts";
import { leftBehind } from "./left-behind.ts";
import { noPty } from "./pty.ts";
import { onScreen } from "./screen.ts";
import { chatOn, escape, shell } from "./tui.ts";
import { goesOn, isAttached, testAlone } from "../attached/with-host.ts";

describe("sessions on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("one starts a new session and comes back to the old one through the list", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it);
    screen.say("my name is Ada");
    await screen.shows(/Nice to meet you, Ada[^]*\ndemo · loop · .* tokens$/);
    screen.say("/title About Ada");
    await screen.shows('This session is called "About Ada" now.');
    screen.say("/new");
    await screen.shows(
      /A new session starts with your next message\.\nBack: \/resume ses_\w+\n─+\n\n─+\ndemo · loop$/,
    );
    screen.say("what is my name?");
    await screen.shows(/You have not told me your name[^]*\n· .* tokens in, /);
    screen.say("/resume");
    await screen.shows(/^Go on with \(2\)\n>.*\n→ .*\n {2}About Ada .*\n/m);
    screen.type("ada");
    await screen.shows(/^Go on with \(1 of 2\)\n> ada\n→ About Ada .*\n/m);
    screen.press("enter");
    await screen.shows(/^You go on with "About Ada"[^]*› my name is Ada\n\nNice to meet you, Ada/m);
    screen.say("what is my name?");
    await screen.shows(/› what is my name\?\n\nYour name is Ada[^\n]*\n· .* tokens in, /);
    screen.say("/resume");
    await screen.shows("Go on with (2)");
    screen.press("escape");
    await screen.gone("Go on with (2)");
    screen.say("/status");
    await screen.shows(/^title +About Ada\nturns +2$/m);
    assert.deepEqual(
      (await onDisk(it.home)).map(({ turns }) => turns.length),
      [2, 1],
    );
  });

  test("what another process has added is shown before a message is sent", async () => {
    const list = { call: { tool: "terminal", args: { command: "echo listed" } } };
    await using it = await talariaOn([says("One."), { reply: [list] }, says("Two."), says("Three.")]);
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/One\.\n· /);
    const [session] = await onDisk(it.home);
    const elsewhere = await it.run(["run", "--session", session?.id ?? "", "second, elsewhere"]);
    assert.equal(elsewhere.stdout, "Two.\n");
    screen.say("third");
    await screen.shows(
      /\n\n› second, elsewhere\n\n✓ terminal {2}echo listed[^]*\nTwo\.\n[^]*\n› third\n\nThree\./,
    );
    screen.say("fourth");
    await screen.shows(/› fourth\n/);
    // With a host it is shown as it happens.
    const [went] = screen.all().match(/· This session went on elsewhere:\n\n› second/g) ?? [];
    assert.equal(went === undefined, isAttached);
    assert.equal(screen.all().match(/› second, elsewhere/g)?.length, 1);
  });

  test("a turn can be taken back, done again, and tried in a copy", async () => {
    await using it = await talariaOn(["One.", "Two.", "Another two.", "Three."].map(says));
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(/One\.\n· /);
    screen.say("/undo");
    await screen.shows('Left out of the conversation: 1 turn, from "first" on.');
    screen.say("second");
    await screen.shows(/Two\.\n· /);
    assert.deepEqual(conversation(it.model.requests[1]), ["second"]);
    screen.say("/retry");
    await screen.shows(/› second\n\nAnother two\.\n· /);
    assert.deepEqual(conversation(it.model.requests[2]), ["second"]);
    screen.say("/fork");
    await screen.shows(/You go on in ses_\w+, which begins with all that was said here\.[^]*Another two\./);
    screen.say("third");
    await screen.shows(/› third\n\nThree\.\n· /);
    assert.deepEqual(conversation(it.model.requests[3]), ["second", "Another two.", "third"]);
    assert.deepEqual(
      (await onDisk(it.home)).map(({ turns }) => turns.length),
      [2, 3],
    );
  });

  test("what was changed in a git folder is shown by the turn and by /diff", async () => {
    await using it = await talaria();
    await writeFile(join(it.cwd, "owl.txt"), "a bird\n");
    const commit = "git -c user.name=Ada -c user.email=ada@example.org commit -qm begin";
    await shell(it, `git init -q && git add . && ${commit}`);
    await using screen = await chatOn(it);
    screen.say("replace bird with night bird in owl.txt");
    await screen.shows(/^✓ patch {2}owl\.txt.*\n[^]*- ?a bird\n[^]*\+ ?a night bird\n/m);
    await screen.shows(/tokens in, /);
    await capture("diff", screen);
    screen.say("/diff");
    await screen.shows(/^› \/diff\n[^]*owl\.txt[^]*a bird\n[^]*a night bird\n/m);
  });

  testAlone(
    goesOn,
    "after kill -9 in the middle of a turn what was said is there, and one goes on",
    async () => {
      await using it = await talariaOn([
        says("Most of them in hollow trees."),
        hangs("Let me think"),
        says("At night."),
      ]);
      await using first = await chatOn(it);
      first.say("where do owls sleep?");
      await first.shows(/hollow trees\.\n· /);
      first.say("and when do they hunt?");
      await first.shows("Let me think");
      first.kill("SIGKILL");
      assert.deepEqual(await first.ends(), { code: 0, signal: 9 });
      await using screen = await chatOn(it, ["--continue"]);
      await screen.shows(
        /sleep\?\n\nMost of .*\n\n› and when do they hunt\?\n· interrupted; what was finished is kept\n─/,
      );
      screen.say("go on, please");
      await screen.shows(/› go on, please\n\n· The last turn was cut off[^]*\n\nAt night\.\n· .*\n─/);
      await capture("resume-after-kill", screen);
      assert.deepEqual((await onDisk(it.home))[0]?.turns, ["done", "interrupted", "done"]);
    },
  );

  test("--resume opens the list at once, and a session of that name says where it works", async () => {
    await using it = await talaria();
    await it.run(["run", "my name is Ada"]);
    const elsewhere = join(it.folder, "elsewhere");
    await mkdir(elsewhere);
    await using screen = await chatOn(it, ["--resume"], { cwd: elsewhere });
    await screen.shows(/^Go on with \(1\)/m);
    screen.press("enter");
    await screen.shows(/› my name is Ada\n\nNice to meet you, Ada[^]*This session works in .*\/work\./);
    await using none = await onScreen(it, ["--resume", "ses_nothing"], { columns: 80, rows: 24 });
    assert.deepEqual(await none.ends(), { code: 2 });
    assert.match(none.all(), /talaria: .*ses_nothing/);
    assert.deepEqual(leftBehind(none), []);
  });

  test("settings that cannot be read are told below the picture, with exit code 2", async () => {
    await using it = await talaria();
    await mkdir(it.home, { mode: 0o700 });
    await writeFile(join(it.home, "config.yaml"), "model: [\n");
    await using screen = await onScreen(it, [], { columns: 80, rows: 24 });
    assert.deepEqual(await screen.ends(), { code: 2 });
    assert.match(screen.text(), /─\n\n+talaria: .*config\.yaml:2:1: /);
    assert.ok(screen.raw().lastIndexOf(escape) < screen.raw().indexOf("talaria: "));
    assert.deepEqual(leftBehind(screen), []);
  });
});
