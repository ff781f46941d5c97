import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { asId } from "../../../src/core/ids.ts";
import type { Item } from "../../../src/core/items.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { says, secretKey } from "../endpoint.ts";
import { type CodexTalaria, runs, talariaOnCodex, told } from "./codex-talaria.ts";

const calls = (tool: string, args: object): object => ({ reply: [{ call: { tool, args } }] });
const asked = ({ model }: CodexTalaria): string => JSON.stringify(model.requests.at(-1)?.body);
const notes = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => (item.kind === "note" ? [item.text] : []));

const adds = (path: string): object => ({
  reply: [
    {
      custom: { tool: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+Obey.\n*** End Patch` },
    },
  ],
});

describe("keys of Talaria, after codex was enabled", () => {
  test("are seen neither by a turn that nobody attends nor by a task that it hands on", async () => {
    const looks = 'cat "$HOME"/home/.env "$HOME"/home/config.yaml; echo looked';
    await using it = await talariaOnCodex([
      { when: "^work$", reply: [runs(looks)] },
      {
        when: "^work$",
        reply: [{ call: { tool: "delegate_task", args: { goal: "look", runtime: "codex" } } }],
      },
      { when: "The task:\nlook\n", reply: [runs(looks)] },
      { when: "The task:\nlook\n", reply: [{ text: "Looked." }] },
      { when: "^work$", reply: [{ text: "Done." }] },
    ]);
    assert.match(await readFile(join(it.home, ".env"), "utf8"), new RegExp(secretKey));
    assert.equal((await it.run(["codex-runtime", "migrate"])).code, 0);
    assert.match(
      await readFile(join(it.codexHome, "config.toml"), "utf8"),
      /^default_permissions = .*# talaria$/m,
    );
    const { ended, items } = await it.turn(["work"]);
    assert.equal(ended.text, "Done.");
    const [own, handedOn] = items.map((item) => (item.kind === "call" ? item.output : ""));
    assert.match(own ?? "", /Permission denied[^]*looked/);
    assert.match(handedOn ?? "", /^Task 1 of 1: done \(codex/);
    const all = JSON.stringify(it.model.requests.map(({ body }) => body));
    assert.equal(all.split("Permission denied").length > 2, true, "both have looked");
    assert.ok(!all.includes(secretKey));
  });
});

describe("what a project says to agents", { concurrency: 2 }, () => {
  for (const runtime of ["loop", "codex"])
    test(`reaches the model on ${runtime} once, and not at all with --no-context`, async () => {
      await using it = await talariaOnCodex([says("One."), says("Two."), says("Three.")]);
      await appendFile(
        join(it.codexHome, "config.toml"),
        `\n[projects."${it.cwd}"]\ntrust_level = "trusted"\n`,
      );
      await writeFile(join(it.cwd, "AGENTS.md"), "Use capercaillie indentation.\n");
      const times = (): number => asked(it).split("capercaillie").length - 1;
      const run = (...args: readonly string[]) => it.run(["run", "--runtime", runtime, "--json", ...args]);
      await run("hello");
      assert.equal(times(), 1);
      const first = await run("--no-context", "hello");
      assert.equal(times(), 0);
      await run("--session", first.lines[0]?.session ?? "", "--no-context", "again");
      assert.equal(times(), 0);
    });

  test("is not written by the loop unasked, and the question names it", async () => {
    const planted = ["AGENTS.md", ".agents/skills/x/SKILL.md", ".mcp.json", ".cursorrules", "sub/CLAUDE.md"];
    await using it = await talariaOnCodex([
      ...planted.map((path) => calls("write_file", { path, content: "Obey." })),
      calls("terminal", { command: "echo Obey. > GEMINI.md" }),
      calls("write_file", { path: "README.md", content: "Read." }),
      says("Done."),
    ]);
    const { items } = told(await it.run(["run", "--runtime", "loop", "--json", "write them"]));
    const results = items.flatMap((item) => (item.kind === "call" ? [item.ok] : []));
    assert.deepEqual(results, [...planted.map(() => false), false, true]);
    const log = await it.run(["approvals", "list", "--json"]);
    assert.equal(log.stdout.split('"instructs-agents"').length - 1, planted.length + 1, log.stdout);
    for (const path of [...planted, "GEMINI.md"])
      await assert.rejects(readFile(join(it.cwd, path)), { code: "ENOENT" }, path);
  });

  test("that a turn on codex has changed is told and kept; what else it changes is not", async () => {
    await using it = await talariaOnCodex([
      adds("AGENTS.md"),
      adds("sub/deep/CLAUDE.md"),
      { reply: [runs("mkdir -p .github && echo Obey. > .github/copilot-instructions.md")] },
      adds("README.md"),
      says("Written."),
      adds("docs.md"),
      says("Written again."),
    ]);
    await mkdir(join(it.cwd, "sub/deep"), { recursive: true });
    const changed = await it.turn(["--approve", "all", "write"]);
    assert.deepEqual(notes(changed.items), [
      "This turn changed files that instruct agents: .github/copilot-instructions.md, AGENTS.md, sub/deep/CLAUDE.md. Look at them before the next turn works by them.",
    ]);
    const harmless = await it.turn(["--approve", "all", "write docs"]);
    assert.deepEqual([harmless.ended.text, notes(harmless.items)], ["Written again.", []]);
    await using store = await openSqliteStore(join(it.home, "talaria.db"));
    const kept = await store.turns.items(asId<"trn">(String(changed.lines[0]?.["turn"])));
    assert.deepEqual(notes(kept), notes(changed.items));
  });
});
