import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { guardMountPoints, notesFolder } from "./mount-points.ts";

describe("mount points that codex has left", () => {
  test("go after the last command, if they were missing before the first", async (t) => {
    const folder = await testFolder(t);
    await mkdir(join(folder, ".codex"));
    const first = await guardMountPoints([folder]);
    await mkdir(join(folder, ".git"));
    const second = await guardMountPoints([folder]);
    await mkdir(join(folder, ".aws"));
    await first();
    assert.deepEqual(await readdir(folder), [".aws", ".codex", ".git"]);
    await second();
    assert.deepEqual(await readdir(folder), [".codex"]);
  });

  test("stay when somebody has put something there, or made a file of that name", async (t) => {
    const folder = await testFolder(t);
    const tidy = await guardMountPoints([folder]);
    await mkdir(join(folder, ".agents"));
    await writeFile(join(folder, ".agents/skill"), "");
    await writeFile(join(folder, ".git"), "");
    await tidy();
    assert.deepEqual(await readdir(folder), [".agents", ".git"]);
  });

  test("are gone before the next command looks what is there", async (t) => {
    const folder = await testFolder(t);
    const first = await guardMountPoints([folder]);
    await mkdir(join(folder, ".git"));
    const [, second] = await Promise.all([first(), guardMountPoints([folder])]);
    await mkdir(join(folder, ".git"));
    await second();
    assert.deepEqual(await readdir(folder), []);
  });

  test("stay while a command of another process needs them, and are not taken for folders of the person", async (t) => {
    const folder = await testFolder(t);
    const path = join(folder, ".git");
    const notes = await notesFolder(path);
    t.after(() => rm(notes, { recursive: true, force: true }));
    for (const made of [path, notes]) await mkdir(made, { recursive: true });
    await writeFile(join(notes, String(process.pid)), "synthetic\n");
    const first = await guardMountPoints([folder]);
    await first();
    assert.deepEqual(await readdir(folder), [".git"]);
    const second = await guardMountPoints([folder]);
    await rm(join(notes, String(process.pid)));
    await second();
    assert.deepEqual(await readdir(folder), []);
  });
});
