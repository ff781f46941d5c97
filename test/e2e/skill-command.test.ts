import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { says, talariaOn } from "./endpoint.ts";

test("a skill is a command in a chat: the model gets the skill, and the words behind it", async () => {
  await using it = await talariaOn([says("Deployed."), says("Again.")]);
  const file = join(it.home, "skills/deploy/SKILL.md");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "---\nname: deploy\ndescription: Puts it online\n---\n\nRun make first.\n");
  const { stdout, code } = await it.run([], { input: "/deploy the docs\n/nothing here\n/quit\n" });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Deployed\./);
  assert.match(stdout, /There is no command \/nothing/);
  const said = JSON.stringify(it.model.requests[0]?.body);
  assert.match(said, /Run make first\./);
  assert.match(said, /\/deploy the docs/);
  assert.match(said, /- deploy: Puts it online/, "and the index");
  const { stdout: list } = await it.run(["skills", "list"]);
  assert.match(list, /deploy/);
});
