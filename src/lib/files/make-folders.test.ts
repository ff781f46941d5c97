import assert from "node:assert/strict";
import { stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { makeFolders } from "./make-folders.ts";

describe("folders that are made", () => {
  test("are there with all above them, for one person, however many make them", async (t) => {
    const root = await testFolder(t);
    const deep = join(root, "a", "b", "c");
    await Promise.all(Array.from({ length: 8 }, () => makeFolders(deep)));
    await makeFolders(deep);
    assert.equal((await stat(deep)).mode & 0o777, 0o700);
    await symlink(deep, join(root, "link"));
    await makeFolders(join(root, "link", "d"));
    assert.ok((await stat(join(deep, "d"))).isDirectory());
  });

  test("are refused where a file is in the way", async (t) => {
    const root = await testFolder(t);
    await writeFile(join(root, "file"), "");
    await assert.rejects(makeFolders(join(root, "file")), { code: "EEXIST" });
    await assert.rejects(makeFolders(join(root, "file", "below")), { code: "ENOTDIR" });
  });

  test(
    "are refused at once by a file system that takes none",
    { skip: process.platform === "linux" ? false : "needs /proc, which only Linux has" },
    async () => {
      await assert.rejects(makeFolders("/proc/talaria/profiles"), { code: "ENOENT" });
    },
  );
});
