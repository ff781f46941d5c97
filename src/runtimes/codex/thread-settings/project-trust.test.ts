import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testFolder } from "../../../../test/temp-folder.ts";
import { projectTrust } from "./project-trust.ts";

const untrusted = { trust_level: "untrusted" };

test("a folder that the person has no word about is not trusted", () => {
  assert.deepEqual(projectTrust("/w/repo", {}), { projects: { "/w/repo": untrusted } });
  const others = { "/w/repo-two": { trust_level: "trusted" }, "/w/repo/sub": { trust_level: "trusted" } };
  assert.deepEqual(projectTrust("/w/repo", others), { projects: { "/w/repo": untrusted } });
});

test("what the person's own codex settings say of it, or of a folder around it, holds", () => {
  for (const folder of ["/w/repo", "/w"])
    assert.deepEqual(projectTrust("/w/repo", { [folder]: { trust_level: "trusted" } }), {});
});

test("neither name of a folder behind a link is trusted", async (t) => {
  const top = await testFolder(t);
  await mkdir(join(top, "real"));
  await symlink("real", join(top, "link"));
  assert.deepEqual(projectTrust(join(top, "link"), {}), {
    projects: { [join(top, "link")]: untrusted, [join(top, "real")]: untrusted },
  });
  assert.deepEqual(projectTrust(join(top, "link"), { [join(top, "real")]: { trust_level: "trusted" } }), {});
});
