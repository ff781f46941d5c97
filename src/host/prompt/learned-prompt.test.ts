import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { Revision } from "../../core/learning.ts";
import type { Session } from "../../core/session.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { preparation } from "./instructions.ts";
import { learnedPrompts } from "./learned-prompt.ts";

describe("what a session's model is told of memory and skills", () => {
  test("is settled with its first turn, for every process, and what changes then is news", async () => {
    await using it = await world();
    const first = await it.prompts().of(session);
    assert.equal(first.frozen, "## Memory, MEMORY.md (1%)\n- old\n\n## Skills\n- a: x");
    it.parts = ["## Memory, MEMORY.md (2%)\n- new"];
    await it.changed({ by: "person", before: "old\n", after: "old\n§\nnew\n" });
    await it.changed({ kind: "skill", file: "skills/b/SKILL.md", summary: "new skill b" });
    assert.deepEqual(await it.prompts().of(session), {
      frozen: first.frozen,
      news: [
        "Memory changed since this conversation began (memories/MEMORY.md): now: new",
        "Skills changed since this conversation began: new skill b",
      ],
    });
    const other = { ...session, id: await it.begin("ses_0000000002"), createdAt: 9e12 };
    assert.deepEqual(await it.prompts().of(other), { frozen: it.parts[0], news: [] });
  });

  test("has no news of its own doing, of other projects, of what waits, or of what tries to steer", async () => {
    await using it = await world();
    await it.changed({ by: "agent", session: session.id, after: "mine" });
    await it.changed({ file: "memories/projects/000000000000/MEMORY.md", after: "theirs" });
    await it.changed({ state: "proposed", after: "waits" });
    await it.changed({ after: "evil" });
    await it.changed({ after: "old", before: "old" });
    await it.changed({ after: "old", before: "old\n§\nevil" });
    await it.changed({ kind: "skill", file: "skills/x/SKILL.md", summary: "(forgotten)" });
    assert.deepEqual((await it.prompts().of(session)).news, []);
    await it.changed({ by: "review", session: session.id, after: "reviewed", before: "gone" });
    assert.deepEqual((await it.prompts().of(session)).news, [
      "Memory changed since this conversation began (memories/MEMORY.md): now: reviewed; no longer: gone",
    ]);
  });

  test("can be looked at part by part without settling it", async () => {
    await using it = await world();
    it.parts = [
      "## Memory of the person, USER.md\n- u",
      "",
      "## Memory of the project /x\n- p",
      "## Skills\n- a: x",
    ];
    const names = async () => (await it.prompts().preview(session)).map(({ name }) => name);
    assert.deepEqual(await names(), ["user", "project memory", "skills"]);
    it.parts = ["## Memory, MEMORY.md\n- m"];
    assert.deepEqual(await names(), ["memory"]);
    await it.prompts().of(session);
    it.parts = [];
    assert.deepEqual(await names(), ["memory"]);
  });

  test("stands behind persona and folder, and is left out where that was chosen", async () => {
    await using it = await world();
    const prepare = preparation(join(it.folder, "SOUL.md"), it.prompts());
    const off = await prepare(session, { memory: false });
    assert.doesNotMatch(off.instructions, /## /);
    assert.equal(await it.store.snapshots.get(session.id), undefined);
    await it.changed({ after: "fresh" });
    const on = await prepare(session, {});
    assert.equal(on.instructions, `${off.instructions}\n\n${it.parts.join("\n\n")}`);
    assert.equal(on.context.length, 1);
    assert.deepEqual((await prepare(session, { memory: false })).context, []);
    const { learned, news } = await prepare.preview(session);
    assert.deepEqual(news, on.context);
    assert.deepEqual(
      learned.map(({ name }) => name),
      ["memory", "skills"],
    );
  });
});

const session: Session = {
  id: asId<"ses">("ses_0000000001"),
  cwd: "/work",
  surface: "cli",
  audience: "owner",
  createdAt: 1000,
  updatedAt: 0,
};

async function world() {
  await using kept = new AsyncDisposableStack();
  const { path: folder } = kept.use(await tempFolder());
  const store = kept.use(await openTestStore(join(folder, "talaria.db")));
  let count = 0;
  const it = {
    folder,
    store,
    parts: ["## Memory, MEMORY.md (1%)\n- old", "## Skills\n- a: x"],
    prompts: () =>
      learnedPrompts({
        store,
        parts: async () => it.parts,
        projectOf: async (cwd) => cwd,
        suspicion: (text) => (text.includes("evil") ? "evil" : undefined),
      }),
    async begin(id: string) {
      await store.sessions.begin(
        { id: asId<"ses">(id), cwd: "/work", surface: "cli", audience: "owner" },
        1000,
      );
      return asId<"ses">(id);
    },
    async changed(row: Partial<Revision>) {
      count += 1;
      await store.revisions.add({
        id: asId<"rev">(`rev_${String(count).padStart(10, "0")}`),
        at: 2000 + count,
        kind: "memory",
        file: "memories/MEMORY.md",
        by: "person",
        evidence: [],
        trusted: true,
        summary: "x",
        change: null,
        state: "active",
        ...row,
      });
    },
  };
  await it.begin(session.id);
  const rest = kept.move();
  return Object.assign(it, { [Symbol.asyncDispose]: () => rest.disposeAsync() });
}
