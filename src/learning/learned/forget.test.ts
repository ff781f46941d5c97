import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type LearnedWorld, day, learnedWorld, user } from "./learned-world.suite.ts";
import { entryKey } from "./uses.ts";

/** Everything below the home that could hold a text, the database included. */
async function everywhere({ home, store }: LearnedWorld): Promise<string> {
  const names = await readdir(home, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !/talaria\.db/.test(entry.name));
  const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")));
  const rows = await store.revisions.list({ limit: 1000 });
  return [...texts, ...files.map(({ name }) => name), JSON.stringify(rows)].join("\n");
}

describe("forgetting", () => {
  test("removes entries, lines, proposals, texts of revisions and uses, and nothing else", async () => {
    await using it = await learnedWorld();
    await it.add("Lives in Zanzibar with Bo.", { evidence: ["I live in ZANZIBAR"] });
    await it.add("Likes tea.");
    await it.makeSkill("travel", "Pack.\nThe flight home is to\nZanzibar, gate 4.\nWave.");
    const change = { action: "add", target: "user", content: "zanzibar is hot" } as const;
    const from = { by: "review", evidence: [], trusted: false } as const;
    const proposed = await it.files.change(
      { kind: "memory", file: user, summary: "USER.md: zanzibar is hot", change, from },
      "propose",
    );
    const { session, turn } = await it.turn("/work", 0, "My flight is to Zanzibar");
    await it.store.snapshots.keep(session, "## Person\nLives in Zanzibar with Bo.");
    const review = await it.store.reviews.begin(
      { session, kind: "memory", upTo: turn, at: 1 },
      { host: "h", pid: 1, startTime: "s" },
    );
    await it.store.reviews.end(review, { state: "done", tokens: 1, result: "Zanzibar" });
    await it.recordUses(session, turn);
    assert.equal((await it.store.learnedUses.sums("memory")).length, 1);

    const forgotten = await it.learned.forgetForGood("  zanzibar ");

    assert.deepEqual(forgotten.files, [user, "skills/travel/SKILL.md"]);
    assert.equal(await it.read(user), "Likes tea.\n");
    assert.match((await it.read("skills/travel/SKILL.md")) ?? "", /^Pack\.\nThe flight home is to\nWave\.$/m);
    assert.doesNotMatch(await everywhere(it), /zanzibar/i);
    assert.equal((await it.learned.get(proposed.id)).state, "rejected");
    assert.deepEqual(await it.store.learnedUses.sums("memory"), []);
    assert.equal(await it.store.snapshots.get(session), undefined);
    assert.equal((await it.store.reviews.list(session))[0]?.result, undefined);
    assert.equal(forgotten.left.length, 1);
    assert.match(forgotten.left[0] ?? "", new RegExp(`talaria sessions delete ${session} --yes`));
    await assert.rejects(it.learned.revert(proposed.id), { code: "usage" });
  });

  test("what does not hold it can be taken back as before", async () => {
    await using it = await learnedWorld();
    await it.add("Likes tea.");
    await it.makeSkill("deploy");
    const tea = await it.add("Has a cat.");
    assert.deepEqual((await it.learned.forgetForGood("coffee")).files, []);
    await it.learned.revert(tea);
    assert.equal(await it.read(user), "Likes tea.\n");
  });

  test("a skill that is about it goes whole, also from the archive", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("call-zanzibar");
    await it.save("skills/call-zanzibar/references/numbers.md", "nothing of it\n");
    await it.makeSkill("pack", "Take a hat.");
    await it.save("skills/.archive/old/SKILL.md", "---\nname: old\ndescription: Zanzibar trips.\n---\nGo.\n");
    await it.save(
      "skills/.archive/hats/SKILL.md",
      "---\nname: hats\ndescription: Hats.\n---\nIn Zanzibar.\nGo.\n",
    );
    const { files } = await it.learned.forgetForGood("Zanzibar");
    assert.deepEqual(files, [
      "skills/.archive/hats/SKILL.md",
      "skills/.archive/old/SKILL.md",
      "skills/call-zanzibar/SKILL.md",
      "skills/call-zanzibar/references/numbers.md",
    ]);
    assert.deepEqual(await readdir(join(it.home, "skills")), [".archive", "pack"]);
    assert.match((await it.read("skills/.archive/hats/SKILL.md")) ?? "", /---\nGo\.\n$/);
  });

  test("a skill whose name is made of the words leaves no trace in revisions, pins and runs of the curator", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("ada-lovelace", "Write to her.");
    await it.makeSkill("ada-lovelace-again", "Write to her.");
    await it.makeSkill("keep", "Write.");
    await it.learned.pin("ada-lovelace", true);
    await it.learned.pin("keep", true);
    it.wait(100 * 86_400_000);
    await it.learned.curate({ dryRun: false });
    await it.learned.forgetForGood("Ada Lovelace");
    const rows = await it.store.revisions.list({ limit: 100 });
    assert.doesNotMatch(JSON.stringify(rows), /lovelace/i);
    assert.ok(rows.some(({ file }) => file === "skills/keep/SKILL.md"));
    assert.deepEqual([...(await it.skills.pinned())], ["keep"]);
    assert.doesNotMatch((await it.store.meta.get("curator.runs")) ?? "", /lovelace/i);
  });

  test("a text that is almost everywhere is refused, and nothing is touched", async () => {
    await using it = await learnedWorld();
    await it.add("Likes tea.");
    for (const text of ["", " . ", "a", "to"])
      await assert.rejects(it.learned.forgetForGood(text), { code: "usage" });
    assert.equal(await it.read(user), "Likes tea.\n");
  });

  test("a crash at any write leaves only what the next run finishes", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("travel", "Zanzibar.\nWave.");
    await it.add("Lives in Zanzibar.");
    await it.files.change(
      {
        kind: "memory",
        file: user,
        summary: "zanzibar again",
        change: { action: "add", target: "user", content: "Zanzibar is hot" },
        from: { by: "review", evidence: [], trusted: false },
      },
      "propose",
    );
    // Each of the steps that write fails once; the run after it goes on.
    for (const step of ["forget", "list"] as const) {
      const { revisions } = it.store;
      const broken = { ...revisions, [step]: () => Promise.reject(new Error("no space")) };
      const { forget } = await import("./forget.ts");
      const deps = { store: { ...it.store, revisions: broken }, files: it.files, home: it.home };
      await assert.rejects(forget(deps as never, "Zanzibar"), /no space/);
    }
    await it.learned.forgetForGood("Zanzibar");
    assert.doesNotMatch(await everywhere(it), /zanzibar/i);
    const rows = await it.store.revisions.list({ file: user, limit: 100 });
    assert.deepEqual(new Set(rows.map(({ summary }) => summary)), new Set(["(forgotten)"]));
  });

  test("uses are named by a hash that says nothing of the entry", () => {
    assert.match(entryKey("Likes tea."), /^[0-9a-f]{16}$/);
    assert.equal(entryKey("Likes tea."), entryKey(" likes\nTEA. "));
  });
});

describe("a day to take it back", () => {
  test("what would go is shown, and nothing is changed by that", async () => {
    await using it = await learnedWorld();
    await it.add("Would like tea at four.");
    await it.add("Has a cat.");
    await it.makeSkill("brew", "Boil water.\nUse a pot like Bo's.\nWait.");
    await it.makeSkill("like-bo", "Hum.");
    assert.deepEqual(await it.learned.forgettable("like"), {
      files: [
        { file: user, gone: ["Would like tea at four."], whole: false },
        { file: "skills/brew/SKILL.md", gone: ["Use a pot like Bo's."], whole: false },
        { file: "skills/like-bo/SKILL.md", gone: [], whole: true },
      ],
      revisions: 4,
    });
    assert.match((await it.read(user)) ?? "", /like/);
  });

  test("it is out of the files at once, and one command brings all of it back", async () => {
    await using it = await learnedWorld();
    await it.add("Lives in Zanzibar.");
    await it.add("Likes tea.");
    await it.makeSkill("call-zanzibar");
    const before = [await it.read(user), await it.read("skills/call-zanzibar/SKILL.md")];
    const { session } = await it.turn("/work", 0, "hello");
    await it.store.snapshots.keep(session, "Lives in Zanzibar.");
    const { files, until } = await it.learned.forget("zanzibar");
    assert.deepEqual(files, [user, "skills/call-zanzibar/SKILL.md"]);
    assert.ok(until > it.learned.now());
    assert.deepEqual(
      [await it.read(user), await it.read("skills/call-zanzibar/SKILL.md")],
      ["Likes tea.\n", undefined],
    );
    assert.equal(await it.store.snapshots.get(session), undefined);
    assert.equal(await it.learned.settleForgotten(), 0);
    it.wait(day - 60_000);
    assert.deepEqual((await it.learned.unforget()).files.toSorted(), files);
    assert.deepEqual([await it.read(user), await it.read("skills/call-zanzibar/SKILL.md")], before);
    it.wait(day);
    assert.equal(await it.learned.settleForgotten(), 0);
    assert.match((await it.read(user)) ?? "", /Zanzibar/);
  });

  test("after it there is no trace, and nothing to take back", async () => {
    await using it = await learnedWorld();
    await it.add("Lives in Zanzibar.");
    await it.add("Likes tea.");
    await it.learned.forget("zanzibar");
    await it.learned.forget("nothing like that");
    assert.match(await everywhere(it), /zanzibar/i);
    it.wait(day);
    await assert.rejects(it.learned.unforget(), { code: "not_found" });
    assert.equal(await it.learned.settleForgotten(), 1);
    assert.doesNotMatch(await everywhere(it), /zanzibar/i);
    assert.equal(await it.store.meta.get("forgetting"), "[]");
    assert.equal(await it.learned.settleForgotten(), 0);
    assert.equal(await it.read(user), "Likes tea.\n");
  });
});
