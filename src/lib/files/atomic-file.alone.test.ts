import assert from "node:assert/strict";
import { lstat, mkdir, readFile, readdir, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { ensurePrivateDir, writeFileAtomic } from "./atomic-file.ts";

let root: string;
let folder: string;
let count = 0;
before(async () => {
  root = await newFolder();
});
beforeEach(async () => {
  folder = join(root, String((count += 1)));
  await mkdir(folder);
});
after(() => rm(root, { recursive: true, force: true }));

describe("writeFileAtomic", () => {
  test("makes a file that only the owner may read, and leaves nothing else", async () => {
    await writeFileAtomic(join(folder, "a"), "text é\n");
    assert.equal(await readFile(join(folder, "a"), "utf8"), "text é\n");
    assert.equal(await modeOf(join(folder, "a")), 0o600);
    assert.deepEqual(await readdir(folder), ["a"]);
  });

  test("gives the file the mode asked for, whatever the umask", async () => {
    const umask = process.umask(0o077);
    try {
      await writeFileAtomic(join(folder, "a"), "", { mode: 0o755 });
    } finally {
      process.umask(umask);
    }
    assert.equal(await modeOf(join(folder, "a")), 0o755);
  });

  test("replaces the old file, and never writes into it", async () => {
    const path = join(folder, "a");
    await writeFile(path, "old", { mode: 0o644 });
    const old = await stat(path);
    await writeFileAtomic(path, "new");
    assert.equal(await readFile(path, "utf8"), "new");
    assert.notEqual((await stat(path)).ino, old.ino);
    assert.equal(await modeOf(path), 0o600);
  });

  test("writes through links to the file they point to, one that does not exist yet too", async () => {
    await mkdir(join(folder, "real"));
    await writeFile(join(folder, "real", "a"), "old");
    await symlink("real/a", join(folder, "link"));
    await symlink("real/b", join(folder, "dangling"));
    await symlink("link", join(folder, "twice"));
    await writeFileAtomic(join(folder, "twice"), "new");
    await writeFileAtomic(join(folder, "dangling"), "born");
    assert.equal(await readFile(join(folder, "real", "a"), "utf8"), "new");
    assert.equal(await readFile(join(folder, "real", "b"), "utf8"), "born");
    assert.equal(await readlink(join(folder, "link")), "real/a");
    assert.ok((await lstat(join(folder, "dangling"))).isSymbolicLink());
    assert.deepEqual((await readdir(join(folder, "real"))).toSorted(), ["a", "b"]);
  });

  test("leaves no temporary file when it fails, and the old one as it was", async () => {
    await mkdir(join(folder, "taken"));
    await writeFile(join(folder, "taken", "inside"), "kept");
    await assert.rejects(writeFileAtomic(join(folder, "taken"), "text"), { code: /EISDIR|ENOTEMPTY|EEXIST/ });
    assert.deepEqual(await readdir(folder), ["taken"]);
    assert.equal(await readFile(join(folder, "taken", "inside"), "utf8"), "kept");
  });

  test("says so when the folder is missing or links go in a circle", async () => {
    await assert.rejects(writeFileAtomic(join(folder, "no", "a"), "text"), { code: "ENOENT" });
    await symlink("y", join(folder, "x"));
    await symlink("x", join(folder, "y"));
    await assert.rejects(writeFileAtomic(join(folder, "x"), "text"), { code: "ELOOP" });
  });

  test("many writers at once leave one whole text", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
    await Promise.all(texts.map((text) => writeFileAtomic(join(folder, "a"), text)));
    assert.ok(texts.includes(await readFile(join(folder, "a"), "utf8")));
    assert.deepEqual(await readdir(folder), ["a"]);
  });

  test("takes the longest name a file may have", async () => {
    const name = "n".repeat(255);
    await writeFileAtomic(join(folder, name), "text");
    assert.deepEqual(await readdir(folder), [name]);
  });
});

describe("ensurePrivateDir", () => {
  test("makes folders for the owner alone", async () => {
    await ensurePrivateDir(join(folder, "a", "b"));
    assert.equal(await modeOf(join(folder, "a")), 0o700);
    assert.equal(await modeOf(join(folder, "a", "b")), 0o700);
  });

  test("takes others' rights from a folder that exists, and keeps what is in it", async () => {
    await mkdir(join(folder, "a"), { mode: 0o755 });
    await writeFile(join(folder, "a", "x"), "kept");
    await ensurePrivateDir(join(folder, "a"));
    assert.equal(await modeOf(join(folder, "a")), 0o700);
    assert.equal(await readFile(join(folder, "a", "x"), "utf8"), "kept");
  });

  test("refuses a path that is a file", async () => {
    await writeFile(join(folder, "a"), "");
    await assert.rejects(ensurePrivateDir(join(folder, "a")), { code: "EEXIST" });
  });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
