import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { folderEntries } from "./folder-entries.ts";

test("a folder is listed in order; one that is a link or lies behind one, a file, or nothing is not", async (t) => {
  const top = await testFolder(t);
  await mkdir(join(top, "real/deep"), { recursive: true });
  for (const name of ["b", "a"]) await writeFile(join(top, "real", name), "");
  await symlink("real", join(top, "link"));
  const listed = folderEntries(join(top, "real"))?.map((entry) => [entry.name, entry.isDirectory()]);
  assert.deepEqual(listed, [
    ["a", false],
    ["b", false],
    ["deep", true],
  ]);
  for (const name of ["link", "link/deep", "real/a", "gone"])
    assert.equal(folderEntries(join(top, name)), undefined, name);
});
