import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { hashOf } from "../skills/skill-files.ts";
import { day, learnedWorld, user } from "./learned-world.suite.ts";
import { entryKey } from "./uses.ts";

describe("what was learned", () => {
  test("is found by the beginning of its id, and by nothing that fits several", async () => {
    await using it = await learnedWorld();
    const [one, two] = [await it.add("Likes tea."), await it.add("Has a cat.")];
    assert.equal((await it.learned.get(one)).id, one);
    assert.equal((await it.learned.get(two.slice(0, -1))).id, two);
    await assert.rejects(it.learned.get("rev_"), { code: "not_found", message: /Several/ });
    await assert.rejects(it.learned.get("rev_nobody"), { code: "not_found" });
    await assert.rejects(it.learned.get(""), { code: "not_found" });
  });

  test("a proposal is done or not, and either once", async () => {
    await using it = await learnedWorld();
    const change = { action: "add", target: "user", content: "Owns a boat." } as const;
    const from = { by: "review", evidence: [], trusted: false } as const;
    const asked = { kind: "memory", file: user, summary: "USER.md: boat", change, from } as const;
    const one = await it.files.change(asked, "propose");
    assert.equal(await it.read(user), undefined);
    assert.match(await it.learned.diff(one.id), /^memories\/USER\.md\n-\n\+Owns a boat\./);
    assert.equal((await it.learned.approve(one.id)).state, "active");
    assert.equal(await it.read(user), "Owns a boat.\n");
    await assert.rejects(it.learned.reject(one.id), { code: "usage" });
    const two = await it.files.change({ ...asked, change: { ...change, content: "No." } }, "propose");
    assert.equal((await it.learned.reject(two.id)).state, "rejected");
    assert.equal(await it.read(user), "Owns a boat.\n");
    const { id } = await it.learned.revert(one.id);
    assert.equal(await it.read(user), undefined);
    await assert.rejects(it.learned.revert(one.id), {
      code: "usage",
      message: /taken back already, by rev_/,
    });
    await it.learned.revert(id);
    assert.equal(await it.read(user), "Owns a boat.\n");
    await it.learned.revert(one.id);
    assert.equal(await it.read(user), undefined);
  });

  test("memory says how full it is, since when and by whom each entry stands there, and its uses", async () => {
    await using it = await learnedWorld();
    await it.save(user, "By hand.\n");
    await it.add("Likes tea.", { by: "review" });
    const { session, turn } = await it.turn();
    await it.store.snapshots.keep(session, "## You\n- By hand.\n- Likes\n  TEA.");
    await it.recordUses(session, turn);
    await it.recordUses(session, turn);
    const [memory, person] = await it.learned.memory("/work");
    assert.deepEqual(memory, {
      file: "memories/MEMORY.md",
      target: "memory",
      limit: 2200,
      chars: 0,
      entries: [],
    });
    assert.equal(person?.chars, "By hand.\n§\nLikes tea.".length);
    assert.deepEqual(
      person?.entries.map(({ text, by, uses }) => ({ text, by, uses })),
      [
        { text: "By hand.", by: "person", uses: 1 },
        { text: "Likes tea.", by: "review", uses: 1 },
      ],
    );
    assert.ok((person?.entries[1]?.since ?? 0) > 0);
  });

  test("of a turn only what its session was told is counted as used", async () => {
    await using it = await learnedWorld();
    await it.add("Likes tea.");
    const [told, untold] = [await it.turn(), await it.turn()];
    await it.store.snapshots.keep(told.session, "nothing of it");
    await it.recordUses(told.session, told.turn);
    await it.recordUses(untold.session, untold.turn);
    assert.deepEqual(await it.store.learnedUses.sums("memory"), []);
    assert.deepEqual(it.logged, []);
  });

  test("benefit compares turns with it and before it, and says nothing of too few", async () => {
    await using it = await learnedWorld();
    for (let count = 0; count < 6; count++) await it.turn("/work", 6);
    it.wait(1000);
    await it.add("Likes tea.");
    await it.makeSkill("deploy");
    it.wait(1000);
    const use = async (calls: number): Promise<void> => {
      const of = await it.turn("/work", calls);
      const at = it.learned.now();
      await it.store.learnedUses.add([
        { kind: "memory", name: entryKey("Likes tea."), ...of, at },
        ...(calls === 1 ? [] : [{ kind: "skill", name: "deploy", ...of, at } as const]),
      ]);
    };
    for (const calls of [1, 2, 3, 2, 2]) await use(calls);
    assert.deepEqual(await it.learned.benefit(), [
      { kind: "skill", name: "deploy", uses: 4, done: 4, failed: 0 },
      { kind: "memory", name: "Likes tea.", uses: 5, done: 5, failed: 0, callsWith: 2, callsBefore: 6 },
    ]);
  });

  test("history has every day, the newest last", async () => {
    await using it = await learnedWorld();
    await it.add("By hand.", { by: "person" });
    await it.add("Likes tea.");
    const of = await it.turn("/work", 3);
    await it.turn("/work", 0);
    await it.store.learnedUses.add([{ kind: "skill", name: "deploy", ...of, at: 1 }]);
    const days = await it.learned.history(3);
    const today = new Date(it.learned.now()).toISOString().slice(0, 10);
    assert.equal(days.length, 3);
    assert.deepEqual(days[0], { day: days[0]?.day, learned: 0, used: 0 });
    assert.deepEqual(days[2], { day: today, learned: 1, used: 1, calls: 1.5 });
  });

  test("skills have their source, state and uses, and only one that exists can be pinned", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    await it.save("skills/mine/SKILL.md", "---\nname: mine\ndescription: By hand.\n---\nGo.\n");
    const of = await it.turn();
    await it.store.learnedUses.add([{ kind: "skill", name: "deploy", ...of, at: it.learned.now() }]);
    await it.learned.pin("deploy", true);
    const project = join(it.home, "project");
    await mkdir(project);
    await it.save("project/.agents/skills/theirs/SKILL.md", "---\nname: theirs\ndescription: T.\n---\nGo.\n");
    const seen = async () =>
      (await it.learned.skills(project)).map(({ name, source, by, state, pinned, uses }) =>
        [name, source, by, state, pinned, uses].join(" "),
      );
    assert.deepEqual(await seen(), [
      "deploy home agent active true 1",
      "mine home person active false 0",
      "theirs project person untrusted false 0",
    ]);
    assert.deepEqual(
      (await it.learned.trust(project)).map(({ state }) => state),
      ["active"],
    );
    assert.equal((await seen()).at(-1), "theirs project person active false 0");
    await assert.rejects(it.learned.pin("nobody", true), { code: "not_found" });
    await it.learned.pin("deploy", false);
    it.wait(40 * day);
    assert.equal((await seen())[0], "deploy home agent stale false 1");
    assert.match((await it.learned.skill("mine", "/work")) ?? "", /Go\./);
    assert.equal(await it.learned.refine(of.session), `reviewed ${of.session}`);
  });

  test("pins of many at once are all kept", async () => {
    await using it = await learnedWorld();
    const names = Array.from({ length: 8 }, (_, at) => `skill-${at}`);
    for (const name of names) await it.makeSkill(name);
    await Promise.all(names.map((name) => it.learned.pin(name, true)));
    assert.deepEqual([...(await it.skills.pinned())].toSorted(), names);
    await assert.rejects(it.learned.pin("nobody", false), { code: "not_found" });
  });

  test("a deleted skill comes back with all its files, and goes with them when that is approved", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    const { session, turn } = await it.turn();
    const file = "skills/deploy/references/notes.md";
    const add = { action: "create", content: "Mind the cache.\n" } as const;
    const from = { by: "agent", session, turn, evidence: [], trusted: true } as const;
    await it.files.change({ kind: "skill", file, summary: "notes", change: add, from }, "write");
    const remove = async (how: "write" | "propose") => {
      const made = [];
      for (const path of ["skills/deploy/SKILL.md", file]) {
        const base = hashOf((await it.read(path)) ?? "");
        const change = { action: "remove", base } as const;
        const summary = `deploy: deleted ${path}`;
        made.push(await it.files.change({ kind: "skill", file: path, summary, change, from }, how));
      }
      return made;
    };
    const [gone] = await remove("write");
    assert.equal(await it.read(file), undefined);
    await it.learned.revert(gone?.id ?? "");
    assert.equal(await it.read(file), "Mind the cache.\n");
    const [asked] = await remove("propose");
    await it.learned.approve(asked?.id ?? "");
    assert.deepEqual([await it.read("skills/deploy/SKILL.md"), await it.read(file)], [undefined, undefined]);
    await it.learned.revert(asked?.id ?? "");
    const [again, also] = await remove("propose");
    await it.learned.reject(again?.id ?? "");
    assert.equal((await it.learned.get(also?.id ?? "")).state, "rejected");
    assert.equal(await it.read(file), "Mind the cache.\n");
  });
});
