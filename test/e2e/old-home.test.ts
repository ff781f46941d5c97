import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { assertSound } from "../../src/store/sqlite/home.suite.ts";
import { migrations } from "../../src/store/sqlite/schema.ts";
import { lostRows, oldHome, oldRows, oldVersion } from "../old-home.ts";
import { type CodexTalaria, talariaOnCodex, told } from "./codex/codex-talaria.ts";
import { says } from "./endpoint.ts";
import type { Talaria } from "./talaria.ts";

async function inOldHome(script: readonly object[]): Promise<CodexTalaria> {
  const it = await talariaOnCodex(script, { unaccounted: "the home has costs of other models" });
  await mkdir(join(it.folder, "boat"));
  oldHome(it.home, it.folder);
  return it;
}

const storeOf = ({ home }: Talaria): string => join(home, "talaria.db");
const backupOf = ({ home }: Talaria): string => join(home, `talaria.db.v${oldVersion}.backup`);

/** The session in which this was said. */
function sessionWith(it: Talaria, words: string): string {
  using db = new DatabaseSync(storeOf(it), { readOnly: true });
  const row = db
    .prepare("SELECT session FROM message WHERE role = 'user' AND content = ? ORDER BY seq")
    .get(words);
  return String(row?.["session"]);
}

describe("a home of schema 12", { concurrency: 2 }, () => {
  test("is upgraded by the first command, with a backup, and every row is there", async () => {
    await using it = await inOldHome([]);
    const before = oldRows(storeOf(it));
    const list = await it.run(["sessions", "list", "--json", "--limit", "100"]);
    assert.equal(list.code, 0, list.stderr);
    assert.deepEqual(lostRows(storeOf(it), before), []);
    assert.deepEqual(oldRows(backupOf(it)), before);
    for (const file of [storeOf(it), backupOf(it)]) assertSound(file);
    const handedOn = before.get("session")?.filter(({ parent }) => parent !== null) ?? [];
    assert.equal(list.lines.length, (before.get("session")?.length ?? 0) - handedOn.length);

    const found = await it.run(["sessions", "search", "--json", "夜に飛ぶ"]);
    assert.ok(found.lines.some(({ session }) => session === sessionWith(it, "what flies at night?")));
    const grants = await it.run(["approvals", "rules", "--json"]);
    assert.equal(grants.code, 0, grants.stderr);
    const costs = (await it.run(["usage", "--json"])).lines.at(-1);
    assert.equal(costs?.["rows"], before.get("usage")?.length);
  });

  test("goes on in sessions of both runtimes, says what it repaired, and knows what was learned", async () => {
    await using it = await inOldHome([
      { when: "^on the loop$", reply: [{ text: "Still the loop." }] },
      { when: "^on codex$", reply: [{ text: "Still codex." }] },
      { when: "^after the kill$", reply: [{ text: "Here again." }] },
      { when: "^in a new one$", reply: [{ text: "Hello." }] },
    ]);
    const [loop, codex, killed] = ["what flies at night?", "codex begin", "hang call"].map((words) =>
      sessionWith(it, words),
    );
    const first = await it.run(["run", "--session", loop ?? "", "on the loop"]);
    assert.deepEqual([first.code, first.stdout], [0, "Still the loop.\n"], first.stderr);
    assert.match(
      first.stderr,
      new RegExp(
        `This home was upgraded from schema 12 to ${migrations.length}\\. As it was before, it is kept in \\S+\\.v12\\.backup\\.`,
      ),
    );
    const asked = JSON.stringify(it.model.requests[0]?.body);
    for (const words of [/Owls and a boat/, /The boat is called Ada/, /Here we go on/])
      assert.match(asked, words);
    assert.doesNotMatch(asked, /This will be taken back\./);

    const second = told(await it.run(["run", "--json", "--session", codex ?? "", "on codex"]));
    assert.deepEqual([second.code, second.ended.text], [0, "Still codex."], second.stderr);
    assert.equal(second.lines[0]?.["runtime"], "codex");
    assert.match(JSON.stringify(it.model.requests[1]?.body), /There is a list of owls here/);
    assert.doesNotMatch(second.stderr, /upgraded/, "it is said once");

    const third = told(await it.run(["run", "--json", "--session", killed ?? "", "after the kill"]));
    assert.equal(third.ended.text, "Here again.", third.stderr);
    assert.match(third.notices("turn_recovered").join("\n"), /is kept as interrupted/);
    assert.equal((await it.run(["run", "in a new one"])).code, 0);
    assert.match(JSON.stringify(it.model.requests[3]?.body), /- Uses tabs\./);
    assertSound(storeOf(it));
  });

  test("can be gone back to by the lines of docs/operations/upgrade.md", async () => {
    await using it = await inOldHome([says("Of the newer one."), says("Upgraded again.")]);
    const before = oldRows(storeOf(it));
    assert.equal((await it.run(["run", "hello"])).code, 0);
    const page = await readFile(new URL("../../docs/operations/upgrade.md", import.meta.url), "utf8");
    const [, lines = ""] = /```sh\n([^`]*)```/.exec(page) ?? [];
    const child = await it.shell(`set -e\n${lines}`, { cwd: it.home });
    child.closeInput();
    const { code, stderr } = await child.finished;
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(oldRows(storeOf(it)), before);
    assertSound(storeOf(it));
    assert.equal((await it.run(["run", "hello again"])).stdout, "Upgraded again.\n");
  });
});
