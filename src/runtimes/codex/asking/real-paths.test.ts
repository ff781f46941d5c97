import assert from "node:assert/strict";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import type { FileChange } from "../../../core/asking.ts";
import { withRealPaths } from "./real-paths.ts";
import { commandQuestion, patchQuestion, permissionQuestion } from "./questions.ts";

async function fixture(): Promise<AsyncDisposable & { readonly path: string }> {
  const temp = await tempFolder();
  for (const name of ["work", "one", "two"]) await mkdir(join(temp.path, name));
  return temp;
}

async function places(cwd: string, paths: readonly string[], kind = "add"): Promise<readonly string[]> {
  const changes = paths.map((path) => ({ path, kind, movePath: undefined, diff: "+owl\n" }));
  const asker = { cwd, thread: "T", epoch: "7.1", request: 0 };
  const { action } = await withRealPaths(patchQuestion({}, asker, changes));
  assert.ok(action.kind === "change");
  return (action.changes ?? []).map(({ path }: FileChange) => path);
}

describe("a patch is asked about by where it leads", () => {
  test("through a link out of the folder, and another one when that leads elsewhere", async () => {
    await using it = await fixture();
    const [work, link] = [join(it.path, "work"), join(it.path, "work/link")];
    await symlink("../one", link);
    assert.deepEqual(await places(work, ["link/new/x", "y"]), [join(it.path, "one/new/x"), join(work, "y")]);
    await rm(link);
    await symlink("../two", link);
    assert.deepEqual(await places(work, ["link/new/x"]), [join(it.path, "two/new/x")]);
  });

  test("through a link to nothing yet; but what is removed is the link", async () => {
    await using it = await fixture();
    const work = join(it.path, "work");
    await symlink("../one/none", join(work, "x"));
    assert.deepEqual(await places(work, ["x"]), [join(it.path, "one/none")]);
    assert.deepEqual(await places(work, ["x"], "delete"), [join(work, "x")]);
  });

  test("and in a folder that is itself a link, by its name", async () => {
    await using it = await fixture();
    const work = join(it.path, "named");
    await symlink("work", work);
    assert.deepEqual(await places(work, ["x"]), [join(work, "x")]);
  });

  test("and so are permissions for a command", async () => {
    await using it = await fixture();
    await symlink("../one", join(it.path, "work/link"));
    const asker = { cwd: join(it.path, "work"), thread: "T", epoch: "7.1", request: 0 };
    const additionalPermissions = { fileSystem: { write: [join(it.path, "work/link")] } };
    const { args } = await withRealPaths(commandQuestion({ command: "make", additionalPermissions }, asker));
    assert.deepEqual(args, {
      command: "make",
      cwd: asker.cwd,
      additionalPermissions: { fileSystem: { write: [join(it.path, "one")] } },
    });
    const plain = commandQuestion({ command: "make" }, asker);
    assert.equal(await withRealPaths(plain), plain);
  });

  test("and so are permissions", async () => {
    await using it = await fixture();
    await symlink("../one", join(it.path, "work/link"));
    const permissions = { network: null, fileSystem: { write: [join(it.path, "work/link")] } };
    const asker = { cwd: join(it.path, "work"), thread: "T", epoch: "7.1", request: 0 };
    const { action } = await withRealPaths(permissionQuestion({ permissions }, asker));
    assert.deepEqual(action, {
      kind: "permissions",
      wanted: { network: null, fileSystem: { write: [join(it.path, "one")] } },
    });
  });
});
