import assert from "node:assert/strict";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { newFolder } from "../../temp-folder.ts";
import { capture, fenced } from "./capture.ts";

describe("capture", () => {
  test("what names this machine is the same in every capture, and times are as they were", () => {
    const seen = [
      "Talaria 0.1.0 · gpt-5.5 · /tmp/talaria-e2e-aB3xYz/work/src/a.ts",
      "kept as ses_0mhx3f9k2a1b2c3d4e in /var/folders/x/talaria-e2e-aB3xYz/home",
      "287 s left; ran for 1m 12s, then 340 ms, then 1.2s, at 2026-11-16 02:25 and 14:03",
      "at http://127.0.0.1:43121/v1, in ~/work ⠹",
      "codex 0.166.0,",
      "/opt/talaria/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl",
      "/bin/codex",
    ].join("\n");
    const kept = [
      "```text",
      "Talaria 0.1.0 · gpt-5.5 · ~/project/src/a.ts",
      "kept as ses_… in ~/home",
      "287 s left; ran for 1m 12s, then 340 ms, then 1.2s, at 2026-11-16 02:25 and 14:03",
      "at http://localhost:PORT/v1, in ~/project ⠋",
      "codex 0.166.0, /usr/local/bin/codex",
      "```\n",
    ].join("\n");
    assert.equal(fenced(seen), kept);
  });

  test("what stands behind a part that got shorter stays in its column", () => {
    const [, first, second] = fenced(
      "│ ses_0mhx3f9k2a1b2c3d4e  one │\n│ two                     one │",
    ).split("\n");
    assert.equal(first, "│ ses_…                   one │");
    assert.equal(first?.length, second?.length);
  });

  test("it is written only when somebody asks for it", async () => {
    const folder = await newFolder();
    try {
      const screen = { text: () => "seen", all: () => "scrolled\nseen" };
      await capture("nothing", screen, { folder, write: false });
      assert.deepEqual(await readdir(folder), []);
      await capture("first", screen, { folder, write: true });
      await capture("all", screen, { folder, write: true, where: "all" });
      assert.equal(await readFile(join(folder, "first.txt"), "utf8"), "```text\nseen\n```\n");
      assert.equal(await readFile(join(folder, "all.txt"), "utf8"), "```text\nscrolled\nseen\n```\n");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
