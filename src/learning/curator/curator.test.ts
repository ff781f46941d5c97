import assert from "node:assert/strict";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { type LearnedWorld, day, learnedWorld } from "../learned/learned-world.suite.ts";
import { verdictOn } from "./curator.ts";

const idle = (): boolean => true;
const names = async ({ home }: LearnedWorld, folder = ""): Promise<readonly string[]> =>
  (await readdir(join(home, "skills", folder)).catch(() => [])).toSorted();

async function used({ store, learned, turn }: LearnedWorld, name: string): Promise<void> {
  await store.learnedUses.add([{ kind: "skill", name, ...(await turn()), at: learned.now() }]);
}

describe("the curator", () => {
  test("archives what was learned and is not used, and one command brings it back to the byte", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    await it.save("skills/deploy/scripts/run.sh", "echo \u0000 binary\n");
    await it.makeSkill("lint");
    await it.makeSkill("fresh");
    const whole = await it.read("skills/deploy/SKILL.md");
    it.wait(50 * day);
    await used(it, "lint");
    it.wait(45 * day);
    await used(it, "fresh");
    const dry = await it.learned.curate({ dryRun: true });
    assert.deepEqual(dry, [
      "would archive  deploy: not used for 95 days",
      "stale  lint: not used for 45 days",
      "1 learned skill in use; 0 skills of yours or pinned, which are never touched.",
    ]);
    assert.deepEqual(await names(it), ["deploy", "fresh", "lint"]);
    const lines = await it.learned.curate({ dryRun: false });
    assert.equal(lines[0], "archived  deploy: not used for 95 days");
    assert.deepEqual(await names(it), [".archive", "fresh", "lint"]);
    assert.deepEqual(await names(it, ".archive"), ["deploy"]);
    assert.deepEqual(
      (await it.learned.skills()).map(({ name, state }) => `${name} ${state}`),
      ["fresh active", "lint stale", "deploy archived"],
    );
    const [row] = await it.learned.list({ limit: 1 });
    assert.equal(
      `${row?.by} ${row?.state} ${row?.summary}`,
      "curator active deploy: archived, not used for 95 days",
    );

    assert.deepEqual(await it.learned.uncurate(), ["brought back  deploy"]);
    assert.equal(await it.read("skills/deploy/SKILL.md"), whole);
    assert.equal(await it.read("skills/deploy/scripts/run.sh"), "echo \u0000 binary\n");
    assert.match(
      (await it.learned.curate({ dryRun: true })).join(),
      /^stale {2}lint/,
      "it is safe again for a while",
    );
    assert.match((await it.learned.uncurate())[0] ?? "", /no curator run/);
  });

  test("using a stale one makes it active again", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    const state = async (): Promise<string | undefined> => (await it.learned.skills())[0]?.state;
    it.wait(31 * day);
    assert.equal(await state(), "stale");
    await used(it, "deploy");
    assert.equal(await state(), "active");
  });

  test("never touches what a person made, what is pinned, and what came from elsewhere", async () => {
    await using it = await learnedWorld();
    await it.save("skills/mine/SKILL.md", "---\nname: mine\ndescription: By hand.\n---\nGo.\n");
    await it.makeSkill("asked", "Go.", { by: "person" });
    await it.makeSkill("pinned");
    await it.learned.pin("pinned", true);
    it.wait(1000 * day);
    const lines = await it.learned.curate({ dryRun: false });
    assert.deepEqual(lines, [
      "0 learned skills in use; 3 skills of yours or pinned, which are never touched.",
    ]);
    assert.deepEqual(await names(it), ["asked", "mine", "pinned"]);
  });

  test("runs by itself only when it is time and nothing runs; the first sight only stamps the time", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    it.wait(100 * day);
    assert.deepEqual(await it.curator.whenDue(idle), []);
    it.wait(6 * day);
    assert.deepEqual(await it.curator.whenDue(idle), []);
    it.wait(2 * day);
    assert.deepEqual(await it.curator.whenDue(() => false), []);
    assert.deepEqual(await names(it), ["deploy"]);
    assert.deepEqual(await it.curator.whenDue(idle), ["archived  deploy: not used for 108 days"]);
    assert.deepEqual(await it.curator.whenDue(idle), []);
  });

  test("reverting the revision brings the skill back, also from a category, and not over another one", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("ops/deploy");
    it.wait(100 * day);
    await it.learned.curate({ dryRun: false });
    const [row] = await it.learned.list({ limit: 1 });
    const back = await it.learned.revert(row?.id ?? "");
    assert.deepEqual([back.reverts, back.state, back.by], [row?.id, "active", "curator"]);
    assert.deepEqual([await names(it), await names(it, "ops")], [["ops"], ["deploy"]]);
    it.wait(100 * day);
    await it.learned.curate({ dryRun: false });
    assert.deepEqual(await names(it), [".archive"]);
    await it.save("skills/ops/deploy/SKILL.md", "---\nname: deploy\ndescription: Another.\n---\nGo.\n");
    assert.match(
      (await it.learned.uncurate())[0] ?? "",
      /^deploy stays in the archive \(\.archive\/deploy\)/,
    );
    assert.deepEqual(await names(it, ".archive"), ["deploy"]);
  });

  test("of a name that is archived twice both stay", async () => {
    await using it = await learnedWorld();
    for (const body of ["First.", "Second."]) {
      await it.makeSkill("deploy", body);
      it.wait(100 * day);
      await it.learned.curate({ dryRun: false });
    }
    const archived = async (path: string): Promise<string> =>
      readFile(join(it.home, "skills/.archive", path, "SKILL.md"), "utf8");
    assert.match(await archived("deploy"), /First\./);
    assert.match(await archived("2/deploy"), /Second\./);
  });

  test("of two the one is brought back whose revision is taken back, and a place that is taken is said", async () => {
    await using it = await learnedWorld();
    const rows: string[] = [];
    for (const body of ["First.", "Second."]) {
      await it.makeSkill("deploy", body);
      it.wait(100 * day);
      await it.learned.curate({ dryRun: false });
      rows.push((await it.learned.list({ limit: 1 }))[0]?.id ?? "");
    }
    await it.learned.revert(rows[1] ?? "");
    assert.match((await it.read("skills/deploy/SKILL.md")) ?? "", /Second\./);
    await assert.rejects(it.learned.revert(rows[0] ?? ""), {
      code: "refused",
      message: /there is another one in its place/,
    });
    await assert.rejects(it.learned.revert(rows[1] ?? ""), { message: /was taken back already/ });
    assert.deepEqual(await names(it, ".archive"), ["deploy"]);
    await rm(join(it.home, "skills/.archive"), { recursive: true });
    await assert.rejects(it.learned.revert(rows[0] ?? ""), { code: "not_found" });
  });

  test("a run that was cut off can be taken back, and its rows are settled at the next start", async () => {
    await using it = await learnedWorld();
    await it.makeSkill("deploy");
    await it.makeSkill("lint");
    it.wait(100 * day);
    const { revisions } = it.store;
    const { settle } = revisions;
    Object.assign(revisions, { settle: () => Promise.reject(new Error("killed")) });
    await it.learned.curate({ dryRun: false });
    Object.assign(revisions, { settle });
    assert.deepEqual(await names(it, ".archive"), ["deploy", "lint"]);
    await it.files.reconcile();
    const states = (await it.learned.list({ limit: 2 })).map(({ state }) => state);
    assert.deepEqual(states, ["active", "active"]);
    assert.deepEqual(await it.learned.uncurate(), ["brought back  deploy", "brought back  lint"]);
  });

  test("two at once archive each skill once", async () => {
    await using it = await learnedWorld();
    for (const name of ["one", "two", "three"]) await it.makeSkill(name);
    it.wait(100 * day);
    await Promise.all([it.learned.curate({ dryRun: false }), it.learned.curate({ dryRun: false })]);
    assert.deepEqual(await names(it, ".archive"), ["one", "three", "two"]);
    const rows = await it.learned.list({ limit: 20 });
    assert.equal(rows.filter(({ by }) => by === "curator").length, 3);
  });

  test("broken notes about its runs are no runs", async () => {
    await using it = await learnedWorld();
    for (const text of ["{", "[1]", '[{"at":1,"moved":[{"name":"x","from":"../x","to":"y"}]}]']) {
      await it.store.meta.set("curator.runs", text);
      await it.learned.uncurate();
    }
    await writeFile(join(it.home, "x"), "");
    assert.deepEqual(await names(it), []);
  });
});

test("a skill is put away only if all of these hold: ours, learned, not pinned, long unused, not young", () => {
  const patience = { staleDays: 30, archiveDays: 90 };
  fc.assert(
    fc.property(
      fc.record({
        name: fc.constant("x"),
        source: fc.constantFrom("home" as const, "external" as const, "project" as const),
        by: fc.constantFrom("person" as const, "agent" as const, "review" as const, "curator" as const),
        pinned: fc.boolean(),
        changed: fc.integer({ min: 0, max: 200 * day }),
        lastUse: fc.option(fc.integer({ min: 0, max: 200 * day }), { nil: undefined }),
      }),
      (known) => {
        const { lastUse, ...rest } = known;
        const { what } = verdictOn(
          { ...rest, ...(lastUse === undefined ? {} : { lastUse }) },
          200 * day,
          patience,
        );
        const mayGo =
          known.source === "home" &&
          (known.by === "agent" || known.by === "review") &&
          !known.pinned &&
          known.changed <= 110 * day &&
          (lastUse ?? 0) <= 110 * day;
        assert.equal(what === "archive", mayGo);
      },
    ),
  );
});
