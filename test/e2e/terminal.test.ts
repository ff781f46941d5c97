import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "./endpoint.ts";
import { noTerminal, terminalOf } from "./pseudo-terminal.ts";
import { talaria } from "./talaria.ts";

const ctrlC = "\u0003";
const ctrlD = "\u0004";

describe("terminal", { concurrency: 2 }, () => {
  test("in a terminal it greets, prompts, answers, and Ctrl+D leaves", async (t) => {
    await using it = await talaria();
    const terminal = await terminalOf(it);
    if (terminal === undefined) return t.skip(noTerminal);
    await terminal.shows(/Talaria \d+\.\d+\.\d+ · demo \(demo\) · runtime loop[^]*\n› $/);
    await terminal.write("hello\n");
    await terminal.shows(/Hello! I am Talaria's[^]*\n› $/);
    await terminal.write("my name is Ada\nwhat is my name?\n");
    await terminal.shows(/Your name is Ada[^]*\n› $/);
    await terminal.write(ctrlD);
    assert.equal((await terminal.finished).code, 0);
  });

  test("in a terminal Ctrl+C stops the turn and the chat goes on; between turns it leaves", async (t) => {
    await using it = await talariaOn([hangs(), says("Here I am.")]);
    const terminal = await terminalOf(it);
    if (terminal === undefined) return t.skip(noTerminal);
    await terminal.shows(/\n› $/);
    await terminal.write("think about it\n");
    await terminal.shows(/Let me think\./);
    await terminal.write(ctrlC);
    await terminal.shows(/interrupted; what was finished is kept[^]*\n› $/);
    await terminal.write("are you there?\n");
    await terminal.shows(/Here I am\.[^]*\n› $/);
    await terminal.write(ctrlC);
    const { code, signal } = await terminal.finished;
    assert.deepEqual([code, signal], [0, null]);
  });
});
