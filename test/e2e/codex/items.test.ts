import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talariaOnCodex } from "./codex-talaria.ts";

const runs = (cmd: string): object => ({ call: { tool: "exec_command", args: { cmd } } });

describe("what a turn on codex is made of", { concurrency: 2 }, () => {
  test("thinking, commentary, two commands at once and the answer", async () => {
    await using it = await talariaOnCodex([
      {
        reply: [
          { reasoning: { summary: "Two at once." } },
          { text: "I look.", phase: "commentary" },
          runs("echo one"),
          runs("echo two; exit 3"),
        ],
      },
      says("Both ran."),
    ]);
    const { code, stderr, lines, items, ended } = await it.turn(["look"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.partialDeepStrictEqual(lines[0], { type: "started", runtime: "codex", model: "gpt-5.5", cwd: it.cwd });
    console.log(items);
    console.log(ended);
    console.log((await onDisk(it.home))[0]);
  });

  test("a patch changes the file, and its item has the diff", async () => {
    await using it = await talariaOnCodex([
      {
        reply: [
          {
            custom: {
              tool: "apply_patch",
              input: "*** Begin Patch\n*** Update File: poem.txt\n@@\n-a cat\n+an owl\n*** End Patch\n",
            },
          },
        ],
      },
      says("Changed."),
    ]);
    await writeFile(join(it.cwd, "poem.txt"), "a cat\nin the night\n");
    const { items, ended } = await it.turn(["make it an owl"]);
    assert.equal(await readFile(join(it.cwd, "poem.txt"), "utf8"), "an owl\nin the night\n");
    console.log(items, ended, (await onDisk(it.home))[0]);
  });

  test("session_search finds a word of an earlier session", async () => {
    await using it = await talariaOnCodex([
      says("Noted."),
      { reply: [{ call: { tool: "session_search", args: { query: "Strigiform" } } }] },
      says("In Dresden."),
    ]);
    const earlier = await it.turn(["Strigiform is the owl of Dresden"]);
    const { items, ended } = await it.turn(["where does it live?"]);
    console.log(items, ended, (await onDisk(it.home))[0]);
    console.log(JSON.stringify(it.model.requests[1]?.body["tools"]).slice(-3000));
    console.log(JSON.stringify(it.model.requests[2]?.body["input"]).slice(-3000));
  });
});
