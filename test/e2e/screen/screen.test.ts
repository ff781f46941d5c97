import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { processRow } from "../../../src/lib/process/process-table.ts";
import { talaria } from "../talaria.ts";
import { leftBehind } from "./left-behind.ts";
import { noPty } from "./pty.ts";
import { type Screen, type ScreenOptions, onScreen, startScreen } from "./screen.ts";

const start = (command: string, args: readonly string[], options: ScreenOptions = {}): Promise<Screen> =>
  startScreen(command, args, { cwd: tmpdir(), env: { PATH: process.env["PATH"] ?? "" }, ...options });

const sh = (line: string, options?: ScreenOptions): Promise<Screen> =>
  start("/bin/sh", ["-c", line], options);

/** Writes this, then shows after `got` all that it has read, until it reads a q. */
function reader(writes: string, options?: ScreenOptions): Promise<Screen> {
  const script = `
    let all = "";
    process.stdin.setRawMode(true).on("data", (bytes) => {
      all += bytes;
      process.stdout.write("\\r\\x1b[Kgot " + JSON.stringify(all));
      if (all.endsWith("q")) process.exit();
    });
    process.stdout.write(${JSON.stringify(writes)} + "ready\\r\\n");`;
  return start(process.execPath, ["-e", script], options);
}

const got = (text: string): string => `got ${JSON.stringify(text)}`;

describe("screen", { skip: noPty, concurrency: 4 }, () => {
  test("the picture is what the program painted, not what it wrote", async () => {
    await using screen = await sh(
      String.raw`printf 'one\ntwo\033[1A\033[1Gx\033[31mN\033[0m\033[K\033[3;5Hend'; read _`,
    );
    assert.equal(await screen.shows("end"), "xN\ntwo\n    end");
    assert.deepEqual(screen.cursor(), { x: 7, y: 2 });
    assert.ok(screen.raw().includes("\u001b[31m"));
  });

  test("what scrolled out of sight is kept, and is not on the screen", async () => {
    await using screen = await sh("seq 1 50; read _", { rows: 10 });
    await screen.shows(/^50$/m);
    assert.equal(screen.text(), "42\n43\n44\n45\n46\n47\n48\n49\n50");
    assert.match(await screen.shows(/^1$/m, "all"), /^1\n2\n3\n/);
    assert.equal(screen.all().split("\n").length, 50);
  });

  test("an emoji, a family of them and a Chinese character take two columns each", async () => {
    const wide = ["😀", "漢", "👩‍👩‍👧", "⚠️", "👍🏽", "🇨🇭"];
    await using screen = await sh(`printf '%s' '${wide.join("")}|é|'; read _`);
    assert.equal(await screen.shows("|é|"), `${wide.join("")}|é|`);
    assert.deepEqual(screen.cursor(), { x: 2 * wide.length + 3, y: 0 });
  });

  test("keys, typed text and pastes arrive as a terminal sends them", async () => {
    await using screen = await reader("");
    await screen.shows("ready");
    screen.type("é");
    screen.press("ctrl+c", "up", "shift+tab");
    screen.paste("a\nb");
    await screen.shows(got("é\u0003\u001b[A\u001b[Za\rb"));
  });

  test("a paste is in brackets and arrows are others when the program has asked for that", async () => {
    await using screen = await reader("\u001b[?2004h\u001b[?1h");
    await screen.shows("ready");
    screen.paste("pasted");
    screen.press("up");
    await screen.shows(got("\u001b[200~pasted\u001b[201~\u001bOA"));
    screen.type("q");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.deepEqual(leftBehind(screen), ["bracketed paste", "application cursor keys"]);
  });

  test("the terminal answers what real ones answer, and only what it knows", async () => {
    const questions = "\u001b[c\u001b[6n\u001b]11;?\u0007\u001b[?996n\u001b[?2026$p\u001b[?u";
    await using dark = await reader(questions, { columns: 200 });
    await using light = await reader(questions, { columns: 200, background: "light", keyboard: "kitty" });
    const same = "\u001b[?1;2c\u001b[1;1R";
    const mode = "\u001b[?2026;2$y";
    await dark.shows(got(`${same}\u001b]11;rgb:1e1e/1e1e/1e1e\u001b\\\u001b[?997;1n${mode}`));
    await light.shows(got(`${same}\u001b]11;rgb:fafa/fafa/fafa\u001b\\\u001b[?997;2n${mode}\u001b[?0u`));
  });

  test("with the kitty keyboard keys come by number, from the push to the pop", async () => {
    await using screen = await reader("\u001b[>1u", { keyboard: "kitty" });
    await screen.shows("ready");
    screen.press("ctrl+c", "escape", "a");
    await screen.shows(got("\u001b[99;5u\u001b[27ua"));
    await using popped = await reader("\u001b[>1u\u001b[<u", { keyboard: "kitty" });
    await popped.shows("ready");
    popped.press("ctrl+c");
    await popped.shows(got("\u0003"));
  });

  test("half a frame is never seen", async () => {
    // It goes on when the terminal has answered, so the half is on it by then.
    const half = String.raw`stty raw -echo; printf 'go\033[?2026h half\033[c'; dd bs=1 count=1 2>/dev/null`;
    await using screen = await sh(String.raw`${half}; printf '\033[2J\033[Hwhole\033[?2026l'; read _`);
    assert.equal(await screen.shows(/half|whole/), "whole");
    await screen.gone("go");
  });

  test("a new size reaches the program and the picture", async () => {
    await using screen = await sh("trap 'stty size' WINCH; echo ready; while :; do read _; done");
    await screen.shows("ready");
    screen.resize(61, 17);
    await screen.shows("17 61");
  });

  test("what does not come is told with the picture when the program ends", async () => {
    await using screen = await sh("echo the last words; exit 3");
    await assert.rejects(
      screen.shows("more"),
      /ended with \{"code":3\} and never showed more:[^]*│the last words/,
    );
    await assert.rejects(screen.gone("last"), /never was without last/);
    assert.deepEqual(await screen.exited, { code: 3 });
    screen.type("too late");
    screen.resize(20, 20);
    screen.kill("SIGTERM");
  });

  test("everything that was written before the end is on the screen at the end", async () => {
    await using screen = await sh("seq 1 30000");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.match(screen.all(), /^1\n[^]*\n29999\n30000$/);
  });

  test("a signal and a closed window end it as they would a person's program", async () => {
    await using killed = await sh("echo ready; read _");
    await killed.shows("ready");
    killed.kill("SIGTERM");
    assert.deepEqual(await killed.exited, { code: 0, signal: 15 });
    await using closed = await sh("echo ready; read _");
    await closed.shows("ready");
    closed.hangUp();
    assert.deepEqual(await closed.exited, { code: 0, signal: 1 });
  });

  test("nothing that it started is left, in whatever group or session", async () => {
    const screen = await sh("trap '' HUP TERM; sleep 600 & echo $!; setsid sleep 601 & echo $! $$.; wait");
    const [pids = ""] = /\d+\s+\d+ \d+(?=\.)/.exec(await screen.shows(/\d+\./)) ?? [];
    const running = (): readonly string[] =>
      pids.split(/\s+/).filter((pid) => processRow(Number(pid))?.zombie === false);
    assert.equal(running().length, 3);
    await screen[Symbol.asyncDispose]();
    assert.deepEqual(running(), []);
  });

  test("the real program chats in it and leaves the terminal as it was", async () => {
    await using it = await talaria();
    await using screen = await onScreen(it, [], { env: { TERM: "dumb" } });
    await screen.shows(/^› $|^›$/m);
    screen.type("hello");
    screen.press("enter");
    await screen.shows(/Hello! I am Talaria's[^]*^›/m);
    screen.press("ctrl+d");
    assert.deepEqual(await screen.exited, { code: 0 });
    assert.deepEqual(leftBehind(screen), []);
  });

  test("a shell in it can tell whether the program gave the terminal back", async () => {
    await using it = await talaria();
    const { program, env } = it.world;
    const line = '"$0" --help; stty | grep -c -- "-icanon\\|-echo"; stty raw; stty -a | grep -o -- "-icanon"';
    await using screen = await startScreen("/bin/sh", ["-c", line, program], { cwd: it.cwd, env, rows: 60 });
    await screen.exited;
    assert.match(screen.all(), /^Usage: talaria/m);
    assert.match(screen.all(), /\n0\n *-icanon$/);
  });
});
