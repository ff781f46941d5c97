import assert from "node:assert/strict";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { systemClock } from "../clock.ts";
import { fileSwapper } from "./swap-file.ts";

let folder: string;
let fresh: string;
let path: string;
before(async () => {
  folder = await newFolder();
  [fresh, path] = [join(folder, "it's é"), join(folder, "-b $x")];
});
beforeEach(async () => {
  await writeFile(fresh, "new");
  await writeFile(path, "old");
});
after(() => rm(folder, { recursive: true, force: true }));

const texts = async (): Promise<readonly string[]> =>
  Promise.all([fresh, path].map((name) => readFile(name, "utf8")));

const ways = { "by the system's own call": process.env, "without a program for it": { PATH: "" } };
for (const [name, env] of Object.entries(ways)) {
  describe(`a file that holds what is expected is replaced ${name}`, () => {
    const swap = fileSwapper(env, systemClock);

    test("and the very file that was there is handed over", async () => {
      const { ino } = await stat(path);
      assert.equal(await swap(fresh, path, Buffer.from("old")), "done");
      assert.deepEqual(await texts(), ["old", "new"]);
      assert.equal((await stat(fresh)).ino, ino);
      assert.equal((await readdir(folder)).length, 2);
    });

    test("one that holds something else is not touched, and one that is gone is not made", async () => {
      for (const expected of ["", "ol", "old\n"])
        assert.equal(await swap(fresh, path, Buffer.from(expected)), "changed");
      assert.deepEqual(await texts(), ["new", "old"]);
      await rm(path);
      assert.equal(await swap(fresh, path, Buffer.from("old")), "changed");
      assert.deepEqual(await readdir(folder), ["it's é"]);
    });

    test("an empty file is one like any other, and bytes need not be text", async () => {
      await writeFile(path, "");
      assert.equal(await swap(fresh, path, Buffer.alloc(0)), "done");
      const bytes = Buffer.from([0, 255, 13, 10, 10]);
      await writeFile(path, bytes);
      assert.equal(await swap(fresh, path, bytes), "done");
      assert.deepEqual(await readFile(fresh), bytes);
    });
  });
}
