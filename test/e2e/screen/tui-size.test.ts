import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../seeded.ts";
import { halt } from "../../halt.ts";
import { says, talariaOn } from "../endpoint.ts";
import { talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { type Chat, chatOn, promptOf, seenForASecond } from "./tui.ts";

const words = Array.from({ length: 400 }, (_, at) => `word${at}`);
const request = `go on${" and on".repeat(20)}`;
/** Long enough for everything that happens meanwhile. */
const story = { reply: [{ text: words.join(" "), chunks: 200 }, { slow: { ms: 10 } }] };

/** Everything, from the first line on, is where it belongs, and nothing is there twice. */
function assertWhole(screen: Chat, columns: number): void {
  const rows = screen.all().split("\n");
  assert.ok(rows.every((row) => row.length <= columns));
  const told = screen.all().match(/\bword\d+\b/g) ?? [];
  assert.deepEqual(told, words.slice(0, told.length));
  assert.match(screen.all(), /^Talaria \d[^]*\n\n› go on and .*\n(?: {2}\S.*\n)+\nword0 /);
  const said = rows.find((row) => row.startsWith("› ")) ?? "";
  assert.ok(said.length > columns - "and ".length, `as much of it in a row as fits: ${said}`);
  assert.equal(screen.all().match(/^─+$/gm)?.length, 2, screen.all());
}

/** The prompt and the status are the last rows. */
function assertAtBottom(screen: Chat, columns: number): void {
  assert.deepEqual(
    screen.text().split("\n").slice(-4, -1),
    ["─".repeat(columns), promptOf(screen), "─".repeat(columns)],
    screen.text(),
  );
  assert.match(screen.text(), /\ngpt-5\.5 · loop.*$/);
}

describe("sizes of the screen", { skip: noPty, concurrency: 2 }, () => {
  test("a new size in the middle of an answer tears nothing", async () => {
    await using it = await talariaOn([story]);
    await using screen = await chatOn(it);
    screen.say(request);
    screen.type("typed");
    let last = 20;
    await screen.shows(`word${last}`);
    for (const [columns, rows] of [
      [40, 24],
      [120, 24],
      [80, 10],
      [80, 40],
      [40, 10],
      [80, 24],
    ] as const) {
      screen.resize(columns, rows);
      last += 40;
      await screen.shows(new RegExp(`word${last}\\b[^]*\\n${"─".repeat(columns)}\\ntyped\\n`), "all");
      assertAtBottom(screen, columns);
      assertWhole(screen, columns);
    }
    await screen.shows(/word399\n· .*\n─/);
    assertAtBottom(screen, 80);
    assertWhole(screen, 80);
  });

  test("a size that is the old one again before it is noticed leaves nothing behind", async () => {
    await using it = await talariaOn([story]);
    await using screen = await chatOn(it);
    screen.say(request);
    await screen.shows(/word100\b/);
    screen.resizeUnheard(40, 10);
    await screen.shows(/word150\b/, "all");
    await halt(screen.pid);
    screen.resize(40, 10);
    screen.resize(80, 24);
    process.kill(screen.pid, "SIGCONT");
    await screen.shows(/word399\n· .*\n─/);
    assertWhole(screen, 80);
    assertAtBottom(screen, 80);
  });

  test("two hundred sizes at random, down to a single cell, do not end it", async () => {
    await using it = await talariaOn([story, says("Still here.")]);
    await using screen = await chatOn(it);
    screen.say(request);
    await screen.shows("word5 ");
    const size = fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 60 }));
    for (let told = 10; told <= 200; told += 10) {
      screen.type("x");
      for (const [columns, rows] of fc.sample(size, 10)) {
        screen.resize(columns, rows);
        await screen.quiet();
      }
      screen.resize(80, 24);
      await screen.shows(`word${told}`, "all");
    }
    await screen.shows(/word399\n· .*\n─+\nx{20}\n─+\n/);
    assertWhole(screen, 80);
    assertAtBottom(screen, 80);
    screen.press("ctrl+c");
    screen.say("well?");
    await screen.shows(/› well\?\n\nStill here\./);
  });

  test("40 columns and 10 rows are enough", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it, [], { columns: 40, rows: 10 });
    screen.say("run echo owl");
    await screen.shows(/^owl\n· .*\n(?: .*\n)*─{40}\n\n─{40}\ndemo · loop/m);
    screen.type("/");
    await screen.shows(/^→ \//m);
    screen.type("runtime ");
    await screen.shows(/^\/runtime\n─{40}\n→ loop.*\n {2}codex.*\ndemo · loop/m);
    screen.press("ctrl+c");
    screen.say("run rm -f x");
    await screen.shows(/May this be done/, "all");
    await screen.shows(/4 deny/);
    await seenForASecond(screen);
    screen.type("4");
    screen.press("enter");
    await screen.shows(/denied by you/, "all");
  });
});
