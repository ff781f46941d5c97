import assert from "node:assert/strict";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../test/temp-folder.ts";
import { folderIdentity } from "./folder-identity.ts";

test("a folder is the same by every path to it, and another one once it was replaced", async () => {
  await using fixture = await tempFolder();
  const folder = join(fixture.path, "work");
  const link = join(fixture.path, "link");
  assert.equal(await folderIdentity(folder), undefined);
  await mkdir(folder);
  await symlink(folder, link);
  const before = await folderIdentity(folder);
  assert.ok(before !== undefined);
  assert.equal(await folderIdentity(link), before);
  await rename(folder, join(fixture.path, "moved"));
  await mkdir(folder);
  assert.notEqual(await folderIdentity(folder), before);
  assert.equal(await folderIdentity(join(fixture.path, "nothing", "here")), undefined);
});
