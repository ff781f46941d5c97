import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { talaria } from "../talaria.ts";
import { noPty } from "./pty.ts";
import { chatOn, escape } from "./tui.ts";

const clearsScrollback = `${escape}[3J`;
const numbers = (text: string): readonly number[] =>
  [...text.matchAll(/^ {2}(\d+)$/gm)].map(([, number]) => Number(number));

describe("much output on the screen", { skip: noPty, concurrency: 2 }, () => {
  test("ten thousand lines of a command end in their last ones, above the prompt, and Ctrl+O shows more", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it);
    screen.say("run seq 10000");
    const bottom = /… and \d+ more lines\n· .*\n─{80}\n\n─{80}\ndemo · loop.*$/;
    await screen.shows(bottom);
    assert.match(
      screen.all(),
      /✓ terminal {2}seq 10000 · .* · [\d,]+ lines, Ctrl\+O shows them\n\nI ran seq 10000\./,
    );
    assert.equal(screen.all().match(/^─+$/gm)?.length, 2);
    assert.ok(!screen.raw().includes(clearsScrollback), "nothing above was painted again");
    screen.press("ctrl+o");
    await screen.shows(/^ {2}… [\d,]+ earlier lines$/m, "all");
    assert.deepEqual(
      numbers(screen.all()),
      Array.from({ length: 2_000 }, (_, at) => 8_001 + at),
    );
    assert.match(screen.text(), bottom);
    screen.press("ctrl+o");
    await screen.shows(/✓ terminal {2}seq 10000 · .* lines, Ctrl\+O shows them\n\nI ran/, "all");
    assert.match(screen.text(), bottom);
  });

  test("a command of the person's own that prints a lot is shown by its end", async () => {
    await using it = await talaria();
    await using screen = await chatOn(it);
    screen.say("!seq 10000; printf '\\033[31mred\\033[0m \\033]0;owned\\007\\tend\\n'");
    await screen.shows(/^ {2}10000\n {2}red {2,}end\n─{80}\n\n─{80}\ndemo · loop$/m);
    await screen.shows(/^✓ \$ {2}seq 10000; .*\n {2}… 9,961 earlier lines\n {2}9962\n/m, "all");
    assert.ok(!screen.raw().includes(`${escape}]0;owned`));
  });
});
