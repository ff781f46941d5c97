import assert from "node:assert/strict";
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { replaceFile } from "./replace-file.ts";
import { snapshotFile } from "./file-snapshot.ts";

let top = "";
beforeEach(async () => {
  top = await newFolder();
  await mkdir(join(top, "repo"));
  await mkdir(join(top, "private"));
});
afterEach(() => rm(top, { recursive: true }));

const never = new AbortController().signal;

test("a folder that is a link by now is not written through, wherever it stands on the way", async () => {
  await symlink(join(top, "private"), join(top, "repo", "docs"));
  await mkdir(join(top, "private", "deep"));
  const text = "new";
  for (const path of ["docs/a", "docs/deep/a", "docs/deep/er/a"]) {
    assert.equal(
      await replaceFile({ path: join(top, "repo", path), text, version: undefined }, never),
      "moved",
    );
  }
  assert.deepEqual(await readdir(join(top, "private"), { recursive: true }), ["deep"]);
});

test("a folder above a missing one that is a file by now is not written to", async () => {
  await writeFile(join(top, "repo", "docs"), "");
  const path = join(top, "repo", "docs", "deep", "a");
  assert.equal(await replaceFile({ path, text: "new", version: undefined }, never), "moved");
});

test(
  "a folder that is moved away in the midst of it takes nothing along, and the link in its place gets nothing",
  { skip: process.platform !== "linux" && "only Linux looks names up in the open folder" },
  async () => {
    const [docs, away] = [join(top, "repo", "docs"), join(top, "repo", "away")];
    await mkdir(docs);
    await writeFile(join(docs, "a"), "old");
    const seen = await snapshotFile(join(docs, "a"), "a");
    assert.ok(seen.kind === "file");
    // It looks at the mark after the new text is written beside the old one: a place to swap the folder from.
    const version = new Proxy(seen.version, {
      get(target, field, receiver): unknown {
        if (field === "ctimeNs") {
          renameSync(docs, away);
          symlinkSync(join(top, "private"), docs);
        }
        return Reflect.get(target, field, receiver);
      },
    });
    assert.equal(await replaceFile({ path: join(docs, "a"), text: "new", version }, never), "changed");
    assert.deepEqual(await readdir(join(top, "private")), []);
    assert.equal(await readFile(join(away, "a"), "utf8"), "old");
    assert.deepEqual(await readdir(away), ["a"]);
  },
);

test("a stop just before the end leaves the old file and no new folder", async () => {
  const path = join(top, "repo", "a");
  await writeFile(path, "old");
  const seen = await snapshotFile(path, "a");
  assert.ok(seen.kind === "file");
  const stopped = AbortSignal.abort(new Error("stopped"));
  await assert.rejects(replaceFile({ path, text: "new", version: seen.version }, stopped), /stopped/);
  const fresh = { path: join(top, "repo", "new", "folder", "b"), text: "new", version: undefined };
  await assert.rejects(replaceFile(fresh, stopped), /stopped/);
  assert.equal(await readFile(path, "utf8"), "old");
  assert.deepEqual(await readdir(join(top, "repo")), ["a"]);
});
