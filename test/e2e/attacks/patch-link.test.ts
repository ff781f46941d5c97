import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { talariaOnCodex } from "../codex/codex-talaria.ts";
import { says } from "../endpoint.ts";

const input = "*** Begin Patch\n*** Update File: docs/memories/USER.md\n@@\n-Ada\n+Mallory\n*** End Patch\n";

/** Where codex asks before a patch, and then applies it without its sandbox. */
const places = [
  ["in a folder that has them in it", "", ""],
  ["where every change asks", "work", "terminal: { security_mode: approval-required }\n"],
] as const;

describe("Talaria's own files, behind a link in the folder that codex works in", () => {
  for (const [what, where, settings] of places)
    test(`are not patched through it: ${what}`, async () => {
      await using it = await talariaOnCodex([
        { reply: [{ custom: { tool: "apply_patch", input } }] },
        says("Tried."),
      ]);
      const user = join(it.home, "memories/USER.md");
      await mkdir(join(it.home, "memories"));
      await writeFile(user, "Ada\n");
      await symlink(it.home, join(it.folder, where, "docs"));
      await appendFile(join(it.home, "config.yaml"), settings);
      const turn = await it.turn(["--approve", "all", "who owns this?"], { cwd: join(it.folder, where) });
      assert.equal(await readFile(user, "utf8"), "Ada\n");
      assert.equal(turn.ended.text, "Tried.");
      assert.match(JSON.stringify(turn.items), /Never done: it would change Talaria's own/);
    });
});
