import assert from "node:assert/strict";
import {
  type FileHandle,
  appendFile,
  open,
  readFile,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { testFolder } from "../../../test/temp-folder.ts";
import { copyOut, lookAt } from "./outgoing-copy.ts";

const { signal } = new AbortController();

async function opened(t: TestContext, words = "first words") {
  const top = await testFolder(t);
  const path = join(top, "a.txt");
  await writeFile(path, words);
  // Two writes of one moment could have the same time.
  await utimes(path, 1, 1);
  const handle = await open(path);
  t.after(() => handle.close());
  return { top, path, handle, folder: join(top, "copies", "one") };
}

/** The same file, with something that happens after its first bytes were read. */
const meanwhile = (handle: FileHandle, act: () => Promise<void>): FileHandle => {
  let isOver = false;
  return {
    stat: handle.stat.bind(handle),
    async read(...args: Parameters<FileHandle["read"]>) {
      const result = await handle.read(...args);
      if (!isOver) await act();
      isOver = true;
      return result;
    },
  } as unknown as FileHandle;
};

describe("the copy of a file that is sent", () => {
  test("has what was opened, whatever is at its path by then", async (t) => {
    const { top, path, handle, folder } = await opened(t);
    await writeFile(join(top, "private.txt"), "not yours");
    const swapped = meanwhile(handle, async () => {
      await rm(path);
      await symlink(join(top, "private.txt"), path);
    });
    const file = await copyOut({ path, handle: swapped }, folder, { most: 100, signal });
    assert.ok("bytes" in file, JSON.stringify(file));
    assert.equal(await readFile(file.path, "utf8"), "first words");
  });

  for (const [what, change] of [
    ["grows", (path: string) => appendFile(path, " and more")],
    ["is written anew", (path: string) => writeFile(path, "other words")],
    ["is emptied", (path: string) => writeFile(path, "")],
  ] as const)
    test(`is none if the file ${what} meanwhile, and nothing is left of it`, async (t) => {
      const { top, path, handle, folder } = await opened(t);
      const changing = meanwhile(handle, () => change(path));
      const file = await copyOut({ path, handle: changing }, folder, { most: 100, signal });
      assert.match("why" in file ? file.why : "", /changed while it was being read/);
      assert.deepEqual(await readdir(join(top, "copies")), []);
    });

  test("never gets larger than it may, however fast the file grows", async (t) => {
    const { path, handle, folder } = await opened(t);
    const growing = meanwhile(handle, () => appendFile(path, "x".repeat(5_000_000)));
    const file = await copyOut({ path, handle: growing }, folder, { most: 100, signal });
    assert.ok("why" in file);
  });

  test("is none if it is not what somebody was asked about", async (t) => {
    const { path, handle, folder, top } = await opened(t);
    const looked = await lookAt({ path, handle }, { most: 100, signal });
    assert.ok("digest" in looked);
    const { digest } = looked;
    const file = await copyOut({ path, handle }, folder, { most: 100, signal, digest });
    assert.ok("bytes" in file);
    const other = await copyOut({ path, handle }, folder, { most: 100, signal, digest: "other" });
    assert.match("why" in other ? other.why : "", /asked about again/);
    assert.deepEqual(await readdir(join(top, "copies")), []);
  });

  test("that is stopped leaves nothing behind", async (t) => {
    const { path, handle, folder, top } = await opened(t);
    const over = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(copyOut({ path, handle }, folder, { most: 100, signal: over }), /stopped/);
    assert.deepEqual(await readdir(join(top, "copies")), []);
  });
});
