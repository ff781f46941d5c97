import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { asId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import { type SkillsWorld, skillsWorld, skillText } from "./skills-world.suite.ts";

const deploy = skillText("deploy", "Puts it online", "Run make.\nThen push.");
const file = "home/skills/deploy/SKILL.md";
const create = { action: "create", name: "deploy", content: deploy };

const latest = async ({ store }: SkillsWorld): Promise<Revision | undefined> =>
  (await store.revisions.list({ limit: 1 }))[0];

/** A skill that the agent has made and read. */
async function owned(): Promise<SkillsWorld> {
  const it = await skillsWorld();
  it.said = deploy;
  assert.equal((await it.call("skill_manage", create)).ok, true);
  await it.call("skill_view", { name: "deploy" });
  return it;
}

describe("a skill that the agent writes", () => {
  test("is there at once if it rests on the person's words, and can be taken back", async () => {
    await using it = await owned();
    assert.equal(await it.text(file), deploy);
    const made = await latest(it);
    assert.partialDeepStrictEqual(made, { by: "agent", trusted: true, state: "active", evidence: [deploy] });
    await it.files.revert(made?.id ?? asId<"rev">(""), "cli");
    assert.equal(await it.text(file), undefined);
  });

  test("waits for a person if it does not, or if it tries to steer, or if reviews only propose", async () => {
    await using it = await skillsWorld();
    const { ok, output } = await it.call("skill_manage", create);
    assert.ok(ok);
    assert.match(
      output,
      /^Proposed: skills\/deploy\/SKILL\.md \(rev_\w+\) waits for the person, because it does not rest/,
    );
    assert.equal(await it.text(file), undefined);
    const proposed = await latest(it);
    assert.equal(proposed?.state, "proposed");
    await it.files.approve(proposed?.id ?? asId<"rev">(""), "cli");
    assert.equal(await it.text(file), deploy);

    const steering = skillText("other", "To ignore previous words");
    it.said = steering;
    const steered = await it.call("skill_manage", { action: "create", name: "other", content: steering });
    assert.match(steered.output, /because it tries to steer/);
    it.said = skillText("third");
    it.rule = { by: "review", mode: "propose" };
    const third = await it.call("skill_manage", {
      action: "create",
      name: "third",
      content: skillText("third"),
    });
    assert.match(third.output, /because reviews only propose/);
  });

  test("is patched where it is unique, and only by who has read it as it is", async () => {
    await using it = await owned();
    const patch = { action: "patch", name: "deploy", old_text: "Run make.", new_text: "Run just." };
    it.said = "Run just. instead of Run make.";
    await it.save(file, `${deploy}More.\n`);
    assert.match((await it.call("skill_manage", patch)).output, /was changed since it was read/);
    await it.call("skill_view", { name: "deploy" });
    assert.match(
      (await it.call("skill_manage", { ...patch, old_text: "e" })).output,
      /in the file more than once/,
    );
    assert.match((await it.call("skill_manage", { ...patch, old_text: "zzz" })).output, /is not in the file/);
    assert.match(
      (await it.call("skill_manage", { ...patch, old_text: "description:", new_text: "about:" })).output,
      /would be no skill any more: it has no description/,
    );
    assert.match((await it.call("skill_manage", patch)).output, /^Written: /);
    assert.equal(await it.text(file), `${deploy}More.\n`.replace("Run make.", "Run just."));
    const again = { ...patch, old_text: "Run just.", new_text: "Run make." };
    assert.match((await it.call("skill_manage", again)).output, /^Written: /, "it knows what it wrote");
  });

  test("has nothing written in it that was not read first", async () => {
    await using it = await skillsWorld();
    await it.save(file, deploy);
    const patch = { action: "patch", name: "deploy", old_text: "Run make.", new_text: "x" };
    assert.match(
      (await it.call("skill_manage", patch)).output,
      /Read SKILL\.md of deploy with skill_view first/,
    );
    assert.match(
      (await it.call("skill_manage", { action: "edit", name: "deploy", content: deploy })).output,
      /with skill_view first/,
    );
  });

  test("may lose a line only on the person's words: that can turn the rest around", async () => {
    await using it = await owned();
    it.said = "something else";
    const { output } = await it.call("skill_manage", {
      action: "patch",
      name: "deploy",
      old_text: "Then push.",
      new_text: "",
    });
    assert.match(output, /^Proposed: /);
    assert.equal(await it.text(file), deploy);
  });

  test("has further files, which come and go", async () => {
    await using it = await owned();
    const notes = { name: "deploy", file: "references/notes.md" };
    it.said = "Mind the cache.";
    const written = await it.call("skill_manage", {
      action: "write_file",
      ...notes,
      content: "Mind the cache.",
    });
    assert.match(written.output, /^Written: skills\/deploy\/references\/notes\.md/);
    assert.match(
      (await it.call("skill_view", { name: "deploy" })).output,
      /\[further files: references\/notes\.md\]/,
    );
    assert.match((await it.call("skill_view", notes)).output, /Mind the cache\.$/);
    assert.match((await it.call("skill_manage", { action: "remove_file", ...notes })).output, /^Written: /);
    assert.deepEqual(Object.keys(await it.tree("home")).length, 1);
  });

  test("is deleted with all its files, and comes back with them", async () => {
    await using it = await owned();
    it.said = "Mind the cache. delete deploy";
    await it.call("skill_manage", {
      action: "write_file",
      name: "deploy",
      file: "references/notes.md",
      content: "Mind the cache.",
    });
    const before = await it.tree("home");
    assert.match(
      (await it.call("skill_manage", { action: "delete", name: "deploy" })).output,
      /^Written: skills\/deploy\/SKILL\.md and 1 more/,
    );
    assert.deepEqual(await it.tree("home"), {});
    const gone = (await it.store.revisions.list({ limit: 10 })).filter(({ after }) => after === undefined);
    for (const { id } of gone) await it.files.revert(id, "cli");
    assert.deepEqual(await it.tree("home"), before);
  });
});

describe("a new skill", () => {
  test("does not hide those of a category of its name, nor hide itself in the folder of another one", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/ops/hand/SKILL.md", skillText("hand"));
    await it.save("home/skills/deploy/SKILL.md", deploy);
    it.said = `${skillText("ops")} ${skillText("inner")}`;
    const ops = { action: "create", name: "ops", content: skillText("ops") };
    assert.match((await it.call("skill_manage", ops)).output, /ops is a category/);
    const inner = { action: "create", name: "inner", category: "deploy", content: skillText("inner") };
    assert.match((await it.call("skill_manage", inner)).output, /deploy is a skill itself/);
    const { skills } = await it.skills.all(it.project);
    assert.deepEqual(
      skills.map(({ name }) => name),
      ["deploy", "hand"],
    );
  });
});

describe("a skill that is not the agent's", () => {
  test("is never deleted by it, and changes to it wait for the person", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/hand/SKILL.md", skillText("hand"));
    await it.save("home/skills/hand/references/a.md", "a");
    await it.call("skill_view", { name: "hand" });
    await it.call("skill_view", { name: "hand", file: "references/a.md" });
    it.said = `delete hand ${skillText("hand", "Does hand", "Step two.")} Step one. a`;
    const patch = { action: "patch", name: "hand", old_text: "Step one.", new_text: "Step two." };
    assert.match((await it.call("skill_manage", patch)).output, /because the skill was made by the person/);
    for (const args of [{ action: "delete" }, { action: "remove_file", file: "references/a.md" }]) {
      const { ok, output } = await it.call("skill_manage", { ...args, name: "hand" });
      assert.equal(ok, false);
      assert.match(output, /was made by the person, and only the person deletes it/);
    }
    assert.equal(await it.text("home/skills/hand/SKILL.md"), skillText("hand"));
  });

  test("because it is pinned, is treated the same", async () => {
    await using it = await owned();
    await it.skills.pin("deploy", true);
    it.said = "delete deploy Run make. Run just.";
    assert.equal((await it.call("skill_manage", { action: "delete", name: "deploy" })).ok, false);
    const patch = { action: "patch", name: "deploy", old_text: "Run make.", new_text: "Run just." };
    assert.match((await it.call("skill_manage", patch)).output, /because the skill is pinned/);
  });

  test("because it is external or of the project, is never changed", async () => {
    await using it = await skillsWorld();
    await it.save("external/ext/SKILL.md", skillText("ext"));
    await it.save("project/.agents/skills/pro/SKILL.md", skillText("pro"));
    await it.skills.trust(it.project);
    const before = [await it.tree("external"), await it.tree("project")];
    for (const name of ["ext", "pro"]) {
      await it.call("skill_view", { name });
      for (const args of [
        { action: "patch", old_text: "Step one.", new_text: "" },
        { action: "edit", content: skillText(name, "mine") },
        { action: "delete" },
        { action: "write_file", file: "references/x.md", content: "x" },
        { action: "create", content: skillText(name) },
      ]) {
        it.said = JSON.stringify(args) + skillText(name, "mine");
        assert.equal((await it.call("skill_manage", { ...args, name })).ok, false, `${args.action} ${name}`);
      }
    }
    assert.deepEqual([await it.tree("external"), await it.tree("project")], before);
    assert.deepEqual(await it.store.revisions.list({ limit: 10 }), []);
  });
});

const places = [
  "..",
  ".",
  "",
  "/",
  "../..",
  "../config.yaml",
  "secret",
  "cat",
  "deploy",
  "references/../../x",
  "references/x.md",
  "SKILL.md",
  "skill.md",
  "references/../SKILL.md",
  "references\\..\\x",
  "scripts//x",
  "deploy/../../x",
  "a\u0000b",
  "con",
  "~",
  "$HOME",
  "%2e%2e",
  "．．",
  "references/.x",
  "templates/x.",
];

test("no name, category or file leads out of the folder of skills", { timeout: 60_000 }, async () => {
  await using it = await owned();
  await it.save("outside/secret/SKILL.md", skillText("secret"));
  await it.save("outside/secret/references/x.md", "x");
  await it.save("home/config.yaml", "model: {}\n");
  await symlink(join(it.top, "outside", "secret"), join(it.home, "skills", "secret"));
  await symlink(join(it.top, "outside"), join(it.home, "skills", "cat"));
  await symlink(
    join(it.top, "outside", "secret", "references"),
    join(it.home, "skills", "deploy", "references"),
  );
  const outside = async () => [await it.tree("outside"), await it.text("home/config.yaml")];
  const before = await outside();
  it.said = `new ${deploy} ${skillText("fresh")}`;
  for (const args of [
    { action: "write_file", name: "deploy", file: "references/new.md", content: "new" },
    { action: "create", name: "fresh", category: "cat", content: skillText("fresh") },
  ]) {
    assert.equal((await it.call("skill_manage", args)).ok, false, args.action);
    assert.deepEqual(await outside(), before);
  }
  const hostile = fc.oneof(
    fc.constantFrom(...places),
    fc.string({ maxLength: 20 }),
    fc
      .array(fc.constantFrom("..", ".", "references", "x", "", "secret"), { maxLength: 5 })
      .map((p) => p.join("/")),
  );
  const args = fc.record(
    {
      action: fc.constantFrom("create", "patch", "edit", "delete", "write_file", "remove_file"),
      name: hostile,
      category: hostile,
      file: hostile,
      content: fc.constantFrom("x", deploy, skillText("secret"), skillText("x")),
      old_text: fc.constantFrom("x", "Step one."),
      new_text: fc.constant("y"),
    },
    { requiredKeys: ["action", "name"] },
  );
  await fc.assert(
    fc.asyncProperty(args, async (some) => {
      it.said = `${JSON.stringify(some)}${some.content ?? ""} delete ${some.name} x y Step one.`;
      await it.call(
        "skill_view",
        some.file === undefined ? { name: some.name } : { name: some.name, file: some.file },
      );
      await it.call("skill_manage", some);
      assert.deepEqual(await outside(), before);
    }),
    { numRuns: 100 },
  );
  for (const path of Object.keys(await it.tree("home")))
    assert.ok(path.startsWith(join(it.home, "skills")) || path === join(it.home, "config.yaml"), path);
});
