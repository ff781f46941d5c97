import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { Session } from "../../core/session.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { preparation } from "./instructions.ts";

describe("what the model is told before the conversation", () => {
  test("is the same to the byte for every turn of a session, whatever happens to its sources", async () => {
    await using it = await tempFolder();
    await writeFile(join(it.path, "SOUL.md"), "You are Hermes.");
    await writeFile(join(it.path, "AGENTS.md"), "Use tabs.");
    const prepare = preparation(join(it.path, "SOUL.md"));
    const session = sessionIn(it.path);
    const first = await prepare(session, {});
    await writeFile(join(it.path, "SOUL.md"), "You are somebody else.");
    await writeFile(join(it.path, "AGENTS.md"), "Use spaces.");
    await repository(it.path);
    assert.deepEqual(await prepare({ ...session, updatedAt: 9e12 }, {}), first);
    const other = await prepare({ ...session, id: asId<"ses">("ses_other") }, {});
    assert.match(other.instructions, /^You are somebody else\.\n/);
    assert.match(other.instructions, /^Git repository: /m);
    assert.equal(other.project, "AGENTS.md:\n\nUse spaces.");
  });

  test("is not settled by looking at it", async () => {
    await using it = await tempFolder();
    const soul = join(it.path, "SOUL.md");
    const prepare = preparation(soul);
    const session = sessionIn(it.path);
    await writeFile(soul, "You are Hermes.");
    assert.partialDeepStrictEqual(await prepare.preview(session), {
      persona: "You are Hermes.",
      ownPersona: true,
    });
    await writeFile(soul, "You are Iris.");
    assert.match((await prepare(session, {})).instructions, /^You are Iris\./);
    await rm(soul);
    assert.equal(
      (await prepare.preview(session)).persona,
      "You are Iris.",
      "what was settled is what is shown",
    );
    const { cwd, createdAt } = session;
    assert.equal((await prepare.preview({ cwd, createdAt })).ownPersona, false);
  });

  test("names folder, repository, system and the day on which the session began, and no secret", async () => {
    await using it = await tempFolder();
    const { instructions } = await preparation(join(it.path, "SOUL.md"))(sessionIn(it.path), {});
    assert.match(instructions, /^You are Talaria, /);
    assert.ok(instructions.includes(`Working folder: ${it.path}\nIt is not in a git repository.\n`));
    assert.match(instructions, /^Operating system: \w+ \(\w+\)$/m);
    assert.ok(instructions.endsWith("This conversation began on 2026-01-31 (UTC)."));
    for (const value of Object.values(process.env)) {
      if ((value ?? "").length > 20)
        assert.ok(!instructions.includes(value ?? "") || it.path.includes(value ?? ""));
    }
  });

  test("has the nearest file of the project, the more general name first, up to the repository", async () => {
    await using it = await tempFolder();
    const inner = join(it.path, "a", "b");
    await mkdir(inner, { recursive: true });
    await writeFile(join(it.path, "AGENTS.md"), "outside");
    await writeFile(join(inner, ".cursorrules"), "rules");
    const asked = async (): Promise<string> =>
      (await preparation(join(it.path, "SOUL.md"))(sessionIn(inner), {})).project;
    assert.equal(await asked(), ".cursorrules:\n\nrules", "outside of a repository: only the folder");
    await mkdir(join(it.path, ".git"));
    assert.equal(await asked(), ".cursorrules:\n\nrules", "an empty .git is no repository");
    await repository(join(it.path, "a"));
    assert.equal(await asked(), ".cursorrules:\n\nrules", "never beyond the repository");
    await writeFile(join(it.path, "a", "CLAUDE.md"), "claude");
    assert.equal(await asked(), "CLAUDE.md:\n\nclaude");
    await writeFile(join(it.path, "a", "AGENTS.md"), "root");
    assert.equal(await asked(), "AGENTS.md:\n\nroot");
    await writeFile(join(inner, "AGENTS.md"), "near");
    assert.equal(await asked(), "AGENTS.md:\n\nnear");
  });

  test("leaves the project out when that was chosen, and says how much of a long file is missing", async () => {
    await using it = await tempFolder();
    await writeFile(join(it.path, "AGENTS.md"), "x".repeat(20_000));
    const prepare = preparation(join(it.path, "SOUL.md"));
    assert.equal((await prepare(sessionIn(it.path), { context: false })).project, "");
    assert.match((await prepare(sessionIn(it.path), {})).project, /^\[4000 characters left out\]$/m);
  });
});

const sessionIn = (cwd: string): Session => ({
  id: asId<"ses">("ses_1"),
  cwd,
  surface: "cli",
  audience: "owner",
  createdAt: Date.UTC(2026, 0, 31, 23, 59),
  updatedAt: 0,
});

async function repository(path: string): Promise<void> {
  await mkdir(join(path, ".git"));
  await writeFile(join(path, ".git", "HEAD"), "ref: refs/heads/main\n");
}
