import assert from "node:assert/strict";
import { link, lstat, mkdir, open, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { type OpenSteps, openInside } from "./open-inside.ts";

let top = "";
let cwd = "";
beforeEach(async () => {
  top = await newFolder();
  cwd = join(top, "repo");
  await mkdir(join(cwd, "docs"), { recursive: true });
  await mkdir(join(top, "private"));
  await writeFile(join(cwd, "docs", "a.txt"), "public");
  await writeFile(join(top, "private", "a.txt"), "private");
});
afterEach(() => rm(top, { recursive: true }));

const plainSteps: OpenSteps = { lstat: (path) => lstat(path, { bigint: true }), open };
const swapFile = async () => {
  await rm(join(cwd, "docs", "a.txt"));
  await symlink(join(top, "private", "a.txt"), join(cwd, "docs", "a.txt"));
};
const swapFolder = async () => {
  await rename(join(cwd, "docs"), join(cwd, "docs-away"));
  await symlink(join(top, "private"), join(cwd, "docs"));
};
const swapFolderBack = async () => {
  await rm(join(cwd, "docs"));
  await rename(join(cwd, "docs-away"), join(cwd, "docs"));
};

describe("a path that nobody touches", () => {
  test("is opened", async () => {
    const opened = await openInside(cwd, "docs/a.txt");
    assert.equal(opened.kind, "file");
    if (opened.kind !== "file") return;
    await using handle = opened.handle;
    assert.equal(await handle.readFile("utf8"), "public");
  });

  test("is refused if it is no file: a socket would never end", async () => {
    await using server = createServer().listen(join(cwd, "s"));
    await new Promise((resolve) => server.once("listening", resolve));
    assert.deepEqual(await openInside(cwd, "s"), {
      kind: "refused",
      why: "s is a pipe, a socket or a device, not a file.",
    });
  });

  test("is refused in words if the system refuses it", async () => {
    await symlink("circle", join(cwd, "circle"));
    assert.match(JSON.stringify(await openInside(cwd, "circle")), /leads in a circle/);
    assert.match(JSON.stringify(await openInside(cwd, "docs/a.txt/b")), /a part of the path is not a folder/);
    assert.match(JSON.stringify(await openInside(cwd, "docs/\0")), /could not be read/);
  });
});

describe("a path that is swapped after it was checked is not read:", () => {
  test("the file for a link", async () => {
    const opened = await openInside(cwd, "docs/a.txt", [], {
      ...plainSteps,
      open: async (...args) => {
        await swapFile();
        return open(...args);
      },
    });
    assert.match(JSON.stringify(opened), /took the file's place just now/);
  });

  test("the file for a second name of another file", async () => {
    const opened = await openInside(cwd, "docs/a.txt", [], {
      ...plainSteps,
      open: async (...args) => {
        await rm(join(cwd, "docs", "a.txt"));
        await link(join(top, "private", "a.txt"), join(cwd, "docs", "a.txt"));
        return open(...args);
      },
    });
    assert.match(JSON.stringify(opened), /was replaced while it was opened/);
  });

  test("a folder above it for a link", async () => {
    const opened = await openInside(cwd, "docs/a.txt", [], {
      ...plainSteps,
      open: async (...args) => {
        await swapFolder();
        return open(...args);
      },
    });
    assert.match(JSON.stringify(opened), /was replaced while it was opened/);
  });

  test(
    "a folder above it for a link, before the look at the file and only until it is open",
    {
      skip: process.platform !== "linux" && "only Linux tells the path of an open file",
    },
    async () => {
      const opened = await openInside(cwd, "docs/a.txt", [], {
        lstat: async (path) => {
          await swapFolder();
          return plainSteps.lstat(path);
        },
        open: async (...args) => {
          const handle = await open(...args);
          await swapFolderBack();
          return handle;
        },
      });
      assert.match(JSON.stringify(opened), /was replaced while it was opened/);
    },
  );
});
