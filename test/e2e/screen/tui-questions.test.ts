import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says, talariaOn } from "../endpoint.ts";
import type { Talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { type Chat, chatOn, escape, promptOf, seenForASecond } from "./tui.ts";

const removes = (name: string): object => ({
  reply: [{ call: { tool: "terminal", args: { command: `rm -f ${name}` } } }],
});

const panel = (name: string): RegExp =>
  new RegExp(
    `╭ May this be done\\?.*\\n│ command:\\n│ {5}rm -f ${name}\\n[^]*│ {3}1 allow once\\n[^]*│ {3}4 deny\\n╰ `,
  );

async function asks(screen: Chat, name: string): Promise<void> {
  await screen.shows(panel(name));
  await seenForASecond(screen);
}

async function withFiles(it: Talaria, ...names: readonly string[]): Promise<void> {
  for (const name of names) await writeFile(join(it.cwd, name), "");
}

describe("questions on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("a number and Enter allow once, for the session or not at all", async () => {
    await using it = await talariaOn([
      removes("one"),
      says("First."),
      removes("two"),
      says("Second."),
      removes("three"),
      says("Third."),
      removes("three"),
      says("Fourth."),
    ]);
    await withFiles(it, "one", "two", "three");
    await using screen = await chatOn(it);
    screen.say("once");
    await asks(screen, "one");
    screen.type("1");
    await screen.shows(/│ ▸ 1 allow once\n[^]*╰ Enter: allow once/);
    assert.equal((await readdir(it.cwd)).length, 3);
    screen.press("enter");
    await screen.shows(/› once\n\n· allowed once by you\n✓ terminal {2}rm -f one[^]*\n\nFirst\.\n· /);
    screen.say("no");
    await asks(screen, "two");
    screen.press("escape");
    await screen.shows("▸ 4 deny");
    screen.press("enter");
    await screen.shows(/· denied by you\n✗ terminal {2}rm -f two[^]*\n\nSecond\.\n· /);
    screen.say("session");
    await asks(screen, "three");
    screen.type("2");
    screen.press("enter");
    await screen.shows(/· allowed for this session by you\n[^]*\n\nThird\.\n· /);
    assert.deepEqual(await readdir(it.cwd), ["two"]);
    await withFiles(it, "three");
    screen.say("again");
    await screen.shows(/› again\n\n✓ terminal {2}rm -f three[^]*\n\nFourth\.\n· /);
    assert.deepEqual(await readdir(it.cwd), ["two"]);
  });

  test("with /yolo on only what cannot be taken back is asked, and a yes does it", async () => {
    const command = "rm -rf node_modules";
    await using it = await talariaOn([
      { reply: [{ call: { tool: "terminal", args: { command: "chmod 777 one" } } }] },
      { reply: [{ call: { tool: "terminal", args: { command } } }] },
      says("Clean."),
    ]);
    await withFiles(it, "one");
    await mkdir(join(it.cwd, "node_modules"));
    await using screen = await chatOn(it);
    screen.say("/yolo on");
    await screen.shows("no more questions");
    screen.say("clean up");
    await screen.shows(/╭ May this be done\?\n[^]*rm -rf node_modules[^]*1 allow once/);
    await seenForASecond(screen);
    screen.type("1");
    await screen.shows("▸ 1 allow once");
    screen.press("enter");
    await screen.shows(
      /✓ terminal {2}chmod 777 one[^]*· allowed once by you\n✓ terminal {2}rm -rf node_modules[^]*Clean\./,
    );
    assert.deepEqual(await readdir(it.cwd), ["one"]);
  });

  test("what was typed before it could be seen does not answer it, and is not lost", async () => {
    await using it = await talariaOn([removes("one"), says("Kept.")]);
    await withFiles(it, "one");
    await using screen = await chatOn(it);
    screen.say("first");
    screen.type("1\r1\r");
    await screen.shows(panel("one"));
    screen.type("1");
    await seenForASecond(screen);
    assert.match(screen.text(), panel("one"));
    assert.deepEqual(await readdir(it.cwd), ["one"]);
    screen.press("escape");
    await screen.shows("▸ 4 deny");
    screen.press("enter");
    await screen.shows(/· denied by you/);
    await screen.shows(/\n\nKept\.\n· [^]*› 1\n/);
    assert.deepEqual(await readdir(it.cwd), ["one"]);
  });

  test("an answer from another process closes it, and so does Stop", async () => {
    await using it = await talariaOn([removes("one"), says("Gone."), removes("two")]);
    await withFiles(it, "one", "two");
    await using screen = await chatOn(it);
    screen.say("first");
    await screen.shows(panel("one"));
    const { stdout } = await it.run(["approvals", "list", "--pending"]);
    const [id = ""] = /apr_\w+/.exec(stdout) ?? [];
    assert.equal((await it.run(["approvals", "answer", id, "once"])).code, 0);
    await screen.shows(/· allowed once by you\n✓ terminal {2}rm -f one[^]*\n\nGone\.\n· /);
    assert.doesNotMatch(screen.text(), /May this be done/);
    screen.say("second");
    await screen.shows(panel("two"));
    screen.press("ctrl+c");
    await screen.shows(/· interrupted; what was finished is kept[^]*\n─+\n\n─+\n/);
    assert.doesNotMatch(screen.text(), /May this be done/);
    screen.type("free");
    await screen.shows(/^free$/m);
    assert.equal(promptOf(screen), "free");
    assert.deepEqual(await readdir(it.cwd), ["two"]);
  });

  test("it has no time limit while the screen is there", async () => {
    await using it = await talariaOn([removes("one"), says("Gone.")]);
    await appendFile(join(it.home, "config.yaml"), "approvals: { timeout_s: 1 }\n");
    await withFiles(it, "one");
    await using screen = await chatOn(it);
    screen.say("first");
    for (let looks = 0; looks < 3; looks++) await asks(screen, "one");
    screen.type("1");
    screen.press("enter");
    await screen.shows(/· allowed once by you\n✓ terminal {2}rm -f one[^]*\n\nGone\.\n· /);
    assert.deepEqual(await readdir(it.cwd), []);
  });

  test("a question waits in the title and rings once", async () => {
    await using it = await talariaOn([removes("one"), says("Kept.")]);
    await using screen = await chatOn(it);
    screen.say("first");
    await asks(screen, "one");
    assert.ok(screen.raw().includes(`${escape}]0;● Talaria: a question waits`));
    assert.equal(bells(screen), 1);
    screen.type("n");
    screen.press("enter");
    await screen.shows(/Kept\.\n· /);
    assert.equal(bells(screen), 1);
  });
});

/** Without those that end a title or a link. */
const bells = (screen: Chat): number =>
  screen
    .raw()
    .replaceAll(new RegExp(`${escape}\\][^\\u0007]*\\u0007`, "g"), "")
    .split("\u0007").length - 1;
