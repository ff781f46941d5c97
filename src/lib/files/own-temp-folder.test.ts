import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { test } from "node:test";
import { ownTempFolder, removeLeftTempFolders } from "./own-temp-folder.ts";

test("folders of a process that is gone are removed, and those of one that lives stay, also of another machine", async () => {
  const own = await ownTempFolder("scratch");
  const [machine = "", pid = ""] = /scratch-(\w+)-(\d+)-/.exec(own)?.slice(1) ?? [];
  // Nobody has that number and began at that time.
  const gone = own.replace(`-${pid}-`, "-4194305-");
  const elsewhere = gone.replace(`-${machine}-`, "-000000-");
  for (const folder of [gone, elsewhere]) await mkdir(folder);
  try {
    await removeLeftTempFolders();
    assert.deepEqual([own, gone, elsewhere].map(existsSync), [true, false, true]);
  } finally {
    for (const folder of [own, gone, elsewhere]) await rm(folder, { recursive: true, force: true });
  }
});
