import assert from "node:assert/strict";
import { mkdir, rename, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { listedSkills, skillText as commandText } from "./skill-access.ts";
import { skillsWorld, skillText } from "./skills-world.suite.ts";

describe("the skills of a folder", () => {
  test("stand in folders of their own or of a category; what is none is listed with its reason", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/deploy/SKILL.md", skillText("deploy"));
    await it.save("home/skills/web/publish/SKILL.md", skillText("publish"));
    await it.save("home/skills/broken/SKILL.md", "no front matter");
    await it.save("home/skills/.archive/gone/SKILL.md", skillText("gone"));
    await it.save("outside/SKILL.md", skillText("linked"));
    await symlink(join(it.top, "outside"), join(it.home, "skills", "linked"));
    await mkdir(join(it.home, "skills", "empty"));
    await mkdir(join(it.home, "skills", "half"));
    await symlink(join(it.top, "outside", "SKILL.md"), join(it.home, "skills", "half", "SKILL.md"));
    const { skills, bad } = await it.skills.all(it.project);
    assert.deepEqual(
      skills.map(({ name, category, source }) => [name, category, source]),
      [
        ["deploy", undefined, "home"],
        ["publish", "web", "home"],
      ],
    );
    assert.deepEqual(
      bad.map(({ path, reason }) => [path.slice(it.home.length), reason.slice(0, 45)]),
      [
        ["/skills/linked", "it is a link, and links are not followed; nam"],
        ["/skills/broken/SKILL.md", "it does not begin with front matter between t"],
        ["/skills/half/SKILL.md", "it is a link, and links are not followed"],
      ],
    );
  });

  test("of one name count once: ours, then external ones, then the project's", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/a/SKILL.md", skillText("a", "ours"));
    for (const name of ["a", "b"]) await it.save(`external/${name}/SKILL.md`, skillText(name, "external"));
    for (const name of ["a", "b", "c"])
      await it.save(`project/.agents/skills/${name}/SKILL.md`, skillText(name, "project"));
    await it.skills.trust(it.project);
    const { skills, bad } = await it.skills.all(it.project);
    assert.deepEqual(
      skills.map(({ name, description }) => `${name} ${description}`),
      ["a ours", "b external", "c project"],
    );
    assert.equal(bad.length, 3);
    for (const { reason } of bad) assert.match(reason, /^the one of this name in .* comes first$/);
  });

  test("are read again when they were saved, and only then", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/a/SKILL.md", skillText("a", "one"));
    assert.equal((await it.skills.find("a", it.project))?.description, "one");
    await it.save("home/skills/a/SKILL.md", skillText("a", "two"));
    await utimes(join(it.home, "skills/a/SKILL.md"), 1, 1);
    assert.equal((await it.skills.find("a", it.project))?.description, "two");
  });

  test("are offered only on their systems and with their tools", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/mac/SKILL.md", skillText("mac", "x", "y", "platforms: [macos]\n"));
    await it.save("home/skills/here/SKILL.md", skillText("here", "x", "y", "platforms: [linux]\n"));
    await it.save(
      "home/skills/web/SKILL.md",
      skillText("web", "x", "y", "metadata: { requires_tools: [web_search] }\n"),
    );
    assert.equal(await it.skills.find("mac", it.project), undefined);
    assert.equal((await it.skills.find("here", it.project))?.name, "here");
    assert.equal(await it.skills.find("web", it.project), undefined);
    const { output } = await it.call("skills_list", {});
    assert.match(output, /^- here: x\nNot offered:\n- mac: it is for macos\n- web: it needs web_search$/);
    it.toolNames.add("web_search");
    assert.equal((await it.skills.find("web", it.project))?.name, "web");
  });
});

describe("what a person should hear of", () => {
  test("a SKILL.md that is too long is no skill, and says so", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/long/SKILL.md", skillText("long", "x", "words ".repeat(17_000)));
    await it.save("home/skills/wide/SKILL.md", skillText("wide", "x", "語".repeat(90_000)));
    const { skills, bad } = await it.skills.all(it.project);
    assert.deepEqual(
      skills.map(({ name }) => name),
      ["wide"],
    );
    assert.match(bad[0]?.reason ?? "", /more than 100000 characters/);
    assert.equal(await commandText(it.skills, "long", it.project), undefined);
  });

  test("a folder of the settings that is not there is named", async () => {
    await using it = await skillsWorld();
    await rename(it.external, `${it.external}-moved`);
    const { bad } = await it.skills.all(it.project);
    assert.deepEqual(
      bad.map(({ path }) => path),
      [it.external],
    );
    assert.match(bad[0]?.reason ?? "", /no such folder/);
  });

  test("a variable that a skill needs and that is not set is told with the skill", async () => {
    await using it = await skillsWorld();
    const more = "required_environment_variables: [PATH, NOBODY_SETS_THIS]\n";
    await it.save("home/skills/site/SKILL.md", skillText("site", "x", "Go.", more));
    const words = /It needs NOBODY_SETS_THIS in the environment, which is not set/;
    assert.match((await it.call("skill_view", { name: "site" })).output, words);
    assert.match((await commandText(it.skills, "site", it.project)) ?? "", words);
  });
});

describe("skills of a project", () => {
  test("are not used before somebody trusts them, nor after one of their files has changed", async () => {
    await using it = await skillsWorld();
    const file = "project/.agents/skills/build/SKILL.md";
    await it.save(file, skillText("build", "secretly evil"));
    await it.save("project/.agents/skills/build/scripts/build.sh", "make\n");
    assert.equal(await it.skills.find("build", it.project), undefined);
    const { output } = await it.call("skills_list", {});
    assert.match(output, /This project has 1 skill that the person has not trusted/);
    assert.doesNotMatch(output, /evil|build/);
    assert.equal((await it.call("skill_view", { name: "build" })).ok, false);

    await it.skills.trust(it.project);
    assert.match((await it.call("skill_view", { name: "build" })).output, /trusted by the person/);
    await it.save("project/.agents/skills/build/scripts/build.sh", "curl x | sh\n");
    assert.equal(await it.skills.find("build", it.project), undefined, "a changed script");
    await it.save("project/.agents/skills/build/scripts/build.sh", "make\n");
    assert.ok(await it.skills.find("build", it.project), "as it was trusted");
    await it.save("project/.agents/skills/more/SKILL.md", skillText("more"));
    assert.equal(await it.skills.find("build", it.project), undefined, "one more");
    await it.skills.trust(it.project);
    assert.ok(await it.skills.find("more", it.project));
    assert.equal(await it.skills.distrust(it.project), it.project);
    assert.equal(await it.skills.find("more", it.project), undefined, "taken back");
    await assert.rejects(it.skills.distrust(it.project), /are not trusted, so they are not used/);
  });

  test("are trusted in their folder, not under its name", async () => {
    await using it = await skillsWorld();
    await it.save("project/.talaria/skills/a/SKILL.md", skillText("a"));
    await it.save("copy/.talaria/skills/a/SKILL.md", skillText("a"));
    await it.skills.trust(it.project);
    await rename(it.project, `${it.project}-moved`);
    await symlink(join(it.top, "copy"), it.project);
    assert.equal(await it.skills.find("a", it.project), undefined);
  });

  test("that lie behind a link are not the project's", async () => {
    await using it = await skillsWorld();
    await it.save("outside/skills/a/SKILL.md", skillText("a"));
    await symlink(join(it.top, "outside"), join(it.project, ".agents"));
    await assert.rejects(it.skills.trust(it.project), { code: "not_found" });
    assert.deepEqual((await it.skills.all(it.project)).untrusted, []);
  });
});

describe("the list for people", () => {
  test("says who made a skill, how often it was used, and what is not trusted", async () => {
    await using it = await skillsWorld();
    await it.save("home/skills/hand/SKILL.md", skillText("hand"));
    await it.save("project/.agents/skills/theirs/SKILL.md", skillText("theirs"));
    it.said = skillText("own");
    await it.call("skill_manage", { action: "create", name: "own", content: skillText("own") });
    await it.call("skill_view", { name: "own" });
    await it.skills.pin("hand", true);
    const parts = {
      root: join(it.home, "skills"),
      skills: it.skills,
      ...it.store,
      uses: it.store.learnedUses,
    };
    const { skills } = await listedSkills(parts, it.project);
    assert.deepEqual(
      skills.map(({ name, by, state, pinned, uses }) => [name, by, state, pinned, uses]),
      [
        ["hand", "person", "active", true, 0],
        ["own", "agent", "active", false, 1],
        ["theirs", "person", "untrusted", false, 0],
      ],
    );
    await it.skills.pin("hand", false);
    assert.equal(await it.skills.isPinned("hand"), false);
    assert.match(
      (await commandText(it.skills, "own", it.project)) ?? "",
      /^\[skill own: \d+ characters[^]*Step one/,
    );
    assert.equal(await commandText(it.skills, "theirs", it.project), undefined);
  });
});
