import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { processesOf } from "../codex/codex-talaria.ts";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talaria } from "../talaria.ts";
import { leftBehind } from "./left-behind.ts";
import { noPty } from "./pty.ts";
import { startScreen } from "./screen.ts";
import { type Chat, chatOn, escape, running, shell, statusLine } from "./tui.ts";
import { goesOn, isAttached, testAlone } from "../attached/with-host.ts";

const ways: Readonly<Record<string, (screen: Chat) => void>> = {
  "/quit": (screen) => screen.say("/quit"),
  "Ctrl+D": (screen) => screen.press("ctrl+d"),
  "Ctrl+C twice": (screen) => screen.press("ctrl+c", "ctrl+c"),
  SIGTERM: (screen) => screen.kill("SIGTERM"),
  SIGHUP: (screen) => screen.kill("SIGHUP"),
};

/** The modes are given back, then come words for the shell, and nothing else. */
const farewell = new RegExp(
  `${escape}\\[\\?2004l${escape}\\[<uThe session is kept\\. Go on with it: talaria --resume ses_\\w+\\r\\n$`,
);

/** A terminal may send the signal twice, and the second one may end what has been left already. */
const closed = { code: 0 };

const sleeps = { reply: [{ call: { tool: "terminal", args: { command: "sleep 600 & sleep 601" } } }] };

describe("leaving the screen", { skip: noPty, concurrency: 2 }, () => {
  for (const [name, leave] of Object.entries(ways))
    test(`by ${name}, in the middle of an answer, leaves nothing behind`, async () => {
      await using it = await talariaOn([hangs("Half an answer")]);
      await using screen = await chatOn(it, [], { keyboard: "kitty" });
      screen.say("go on");
      await screen.shows("Half an answer");
      leave(screen);
      assert.deepEqual(await screen.ends(), { code: name === "SIGTERM" ? 143 : 0 });
      assert.match(screen.raw(), farewell);
      assert.match(screen.text(), /\n─+\n\n─+\ngpt-5\.5 · loop\n\n?The session is kept\. [^\n]*(\n[^\n]*)?$/);
      assert.ok(!screen.text().includes(running));
      assert.deepEqual(leftBehind(screen), []);
      if (!isAttached) assert.deepEqual(await processesOf(it), []);
      // Whoever leaves a host lets the turn go on.
      assert.deepEqual((await onDisk(it.home))[0]?.turns, [isAttached ? "open" : "interrupted"]);
    });

  testAlone(goesOn, "by closing the window ends the turn and everything that it runs", async () => {
    await using it = await talariaOn([sleeps]);
    await using screen = await chatOn(it);
    screen.say("go on");
    await screen.shows(/sleep 601 · [1-9]\d* s/);
    screen.hangUp();
    assert.partialDeepStrictEqual(await screen.ends(), closed);
    assert.deepEqual(await processesOf(it), []);
    assert.deepEqual((await onDisk(it.home))[0]?.turns, ["interrupted"]);
  });

  test("by closing the window while nothing runs is no error", async () => {
    await using it = await talaria();
    const { program, env } = it.world;
    const line = 'exec "$0" 2> errors';
    await using screen = await startScreen("/bin/sh", ["-c", line, program], { cwd: it.cwd, env });
    await screen.shows(statusLine);
    screen.hangUp();
    assert.partialDeepStrictEqual(await screen.ends(), closed);
    assert.equal(await shell(it, "cat errors"), "");
  });

  test("ends a command of the person's own, and asks twice for Ctrl+C when nothing runs", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it);
    screen.press("ctrl+c");
    await screen.shows("Ctrl+C again leaves");
    screen.say("!sleep 600 & sleep 601");
    await screen.shows(/sleep 601 · [1-9]\d* s/);
    screen.press("ctrl+d");
    assert.deepEqual(await screen.ends(), { code: 0 });
    assert.deepEqual(leftBehind(screen), []);
    assert.deepEqual(
      (await processesOf(it)).filter((line) => line.includes("sleep")),
      [],
    );
    await it.endHost();
    assert.deepEqual(await processesOf(it), []);
  });

  test("by a fault of the program gives the terminal back before it is told", async () => {
    await using it = await talariaOn([hangs("Half an answer")]);
    const fault = join(it.folder, "fault.mjs");
    await writeFile(fault, `process.on("SIGUSR2", () => { throw new Error("a fault"); });`);
    const env = { NODE_OPTIONS: `--import=${fault}` };
    await using screen = await chatOn(it, [], { keyboard: "kitty", env });
    screen.say("go on");
    await screen.shows("Half an answer");
    screen.kill("SIGUSR2");
    assert.deepEqual(await screen.ends(), { code: 1 });
    const afterwards = screen.raw().split(`${escape}[<u`).at(-1) ?? "";
    assert.match(afterwards, /Error: a fault/);
    assert.ok(!afterwards.includes(`${escape}[?`));
    assert.deepEqual(leftBehind(screen), []);
  });

  test("for a while with Ctrl+Z, and coming back, loses nothing; a shell gets its terminal as it was", async () => {
    await using it = await talariaOn([says("Here.")]);
    const env = { ...it.world.env, PS1: "shell$ ", program: it.world.program };
    await using screen = await startScreen("/bin/bash", ["--norc", "--noprofile", "-i"], {
      cwd: it.cwd,
      env,
    });
    await screen.shows("shell$");
    screen.type('"$program"\r');
    await screen.shows(statusLine);
    screen.type("half");
    await screen.shows(/^half$/m);
    screen.press("ctrl+z");
    await screen.shows(/Stopped.*\nshell\$/);
    screen.type("fg\r");
    await screen.gone("Stopped");
    await screen.shows(/^half\n─+\ngpt-5\.5 · loop$/m);
    screen.type(" a word\r");
    await screen.shows(/› half a word\n\nHere\.\n· /);
    screen.press("ctrl+d");
    await screen.shows(/The session is kept[^]*\nshell\$$/);
    screen.type("stty -a | grep -oE -- '-?(icanon|echo|isig)\\b' | sort | tr '\\n' .; echo\r");
    await screen.shows(/^echo\.icanon\.isig\.$/m);
  });
});
