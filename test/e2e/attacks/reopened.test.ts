import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";

const canary = "a-key-of-somebody";
const looks = `exec 2>&1; cat "$HOME/.ssh/deep/id"; touch "$TMPDIR/made" && echo made; true`;

/** In the person's codex settings: what stands before the first table, and tables. */
const own: readonly (readonly [what: string, top: string, tables: (home: string) => string])[] = [
  [
    "a folder that may be written besides",
    'sandbox_mode = "workspace-write"',
    (home) => `[sandbox_workspace_write]\nwritable_roots = ["${home}/.ssh/deep"]`,
  ],
  [
    "a profile in which it may be written",
    'default_permissions = "mine"',
    () =>
      '[permissions.mine.filesystem]\n":root" = "read"\n":workspace_roots" = { "." = "write" }\n"~/.ssh" = { deep = "write" }',
  ],
];

describe("work on codex that nobody attends", { concurrency: 2 }, () => {
  for (const [what, top, tables] of own)
    test(`sees no keys in a hidden folder that the person's codex settings open: ${what}`, async () => {
      await using it = await attacked(top, tables);
      assert.equal((await it.turn(["look"])).ended.outcome, "done");
      const told = JSON.stringify(it.model.requests.map(({ body }) => body["input"]));
      assert.ok(!told.includes(canary), told.slice(-1000));
    });

  test("writes into no folder for temporary files that the person has left out", async () => {
    await using it = await attacked(
      'sandbox_mode = "workspace-write"',
      () => "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true",
    );
    const { items } = await it.turn(["look"]);
    assert.match(JSON.stringify(items), /Read-only file system/);
  });
});

async function attacked(top: string, tables: (home: string) => string): ReturnType<typeof talariaOnCodex> {
  const it = await talariaOnCodex([{ reply: [runs(looks)] }, says("Looked.")]);
  await mkdir(join(it.folder, ".ssh/deep"), { recursive: true });
  await writeFile(join(it.folder, ".ssh/deep/id"), `${canary}\n`);
  const file = join(it.codexHome, "config.toml");
  await writeFile(file, `${top}\n${await readFile(file, "utf8")}\n${tables(it.folder)}\n`);
  return it;
}
