import assert from "node:assert/strict";
import { test } from "node:test";
import { skillsWorld, skillText } from "./skills-world.suite.ts";

const file = "home/skills/deploy/SKILL.md";
const patch = { action: "patch", name: "deploy", old_text: "Mine.", new_text: "Theirs." };

test("a skill that a person makes where a learned one was deleted is the person's", async () => {
  await using it = await skillsWorld();
  it.said = `${skillText("deploy")} delete deploy Mine. Theirs.`;
  await it.call("skill_manage", { action: "create", name: "deploy", content: skillText("deploy") });
  await it.call("skill_manage", { action: "delete", name: "deploy" });
  await it.save(file, skillText("deploy", "By hand", "Mine."));
  await it.call("skill_view", { name: "deploy" });
  assert.match((await it.call("skill_manage", patch)).output, /because the skill was made by the person/);
  assert.equal((await it.call("skill_manage", { action: "delete", name: "deploy" })).ok, false);
});

test("a learned skill that was deleted and brought back is a learned one", async () => {
  await using it = await skillsWorld();
  it.said = `${skillText("deploy", "x", "Mine.")} delete deploy Theirs.`;
  const content = skillText("deploy", "x", "Mine.");
  await it.call("skill_manage", { action: "create", name: "deploy", content });
  await it.call("skill_manage", { action: "delete", name: "deploy" });
  const [gone] = await it.store.revisions.list({ limit: 1 });
  assert.ok(gone);
  await it.files.revert(gone.id, "person");
  await it.call("skill_view", { name: "deploy" });
  assert.match((await it.call("skill_manage", patch)).output, /^Written: /);
});
