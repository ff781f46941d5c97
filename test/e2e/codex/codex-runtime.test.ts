import assert from "node:assert/strict";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { says } from "../endpoint.ts";
import { type Talaria, talaria } from "../talaria.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

describe("/codex-runtime", { concurrency: 2 }, () => {
  test("moves the conversation to codex and back from one turn to the next, and leaves no trace in the settings", async () => {
    await using it = await talariaOnCodex([says("One."), says("Two."), says("Three."), says("Four.")]);
    const before = await settings(it);
    const input = ["first", "/codex-runtime ON", "second", "/codex-runtime off", "third"];
    const { code, stdout, stderr } = await it.run([], { input: lines(input) });
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^One\.\n[^]*default is codex now[^]*\nTwo\.\n[^]*default is loop now[^]*\nThree\.\n$/,
    );
    assert.match(stdout, /codex 0\.\d+\.\d+, \//, "which codex it is");
    assert.deepEqual(await runtimes(it), ["loop", "codex", "loop"]);
    const all = ["user first", "assistant One.", "user second", "assistant Two.", "user third"];
    for (const [at, known] of [1, 3, 5].entries())
      assert.deepEqual(heard(it.model.requests[at]), all.slice(0, known), `turn ${at + 1}`);
    assert.equal(await settings(it), before, "to the byte");
  });

  test("holds for the next start, and for new sessions at once", async () => {
    await using it = await talariaOnCodex(["One.", "Two.", "Three."].map(says));
    await writeFile(join(it.home, "config.yaml"), (await settings(it)).replace(", openai_runtime: auto", ""));
    const before = await settings(it);
    const first = await it.run([], { input: lines(["/codex-runtime on", "first", "/new", "second"]) });
    assert.equal(first.code, 0, first.stderr);
    assert.match(await settings(it), /default: gpt-5\.5, openai_runtime: codex_app_server \}/);
    assert.deepEqual(await runtimes(it), ["codex", "codex"]);
    const second = await it.run([], { input: lines(["third", "/codex-runtime disable"]) });
    assert.match(second.stdout, /^Three\.\n.*default is loop now/);
    assert.deepEqual(await runtimes(it), ["codex", "codex", "codex"]);
    assert.equal(await settings(it), before, "another process takes it back to the byte");
  });

  test("without a codex that can be used it says how to get one, and changes nothing", async () => {
    await using it = await talariaOnCodex([says("One.")]);
    const missing = (await settings(it)).replace("{ provider", "{ codex_bin: /nowhere/codex, provider");
    await writeFile(join(it.home, "config.yaml"), missing);
    const first = await it.run([], { input: lines(["/codex-runtime on", "hello"]) });
    assert.match(first.stdout, /model\.codex_bin is \/nowhere\/codex, but there is no such file/);
    assert.equal(await settings(it), missing);
    const old = join(it.folder, "codex");
    await writeFile(old, "#!/bin/sh\necho codex-cli 0.99.0\n", { mode: 0o755 });
    const outdated = missing.replace("/nowhere/codex", old);
    await writeFile(join(it.home, "config.yaml"), outdated);
    const second = await it.run([], { input: lines(["/codex-runtime on"]) });
    assert.match(second.stdout, /too old: 0\.125\.0 or newer is needed/);
    assert.match(second.stdout, /npm install -g @openai\/codex/);
    assert.equal(await settings(it), outdated);
    assert.deepEqual(await runtimes(it), ["loop"]);
  });

  test("when the settings cannot be written it says so, and the next turn runs where it ran", async () => {
    await using it = await talaria();
    await it.run(["run", "hello"]);
    const file = join(it.home, "config.yaml");
    await symlink("/proc/talaria-nowhere/config.yaml", file);
    const { stdout } = await it.run([], { input: lines(["/codex-runtime on", "/codex-runtime", "hello"]) });
    assert.match(stdout, /could not be saved: \S*config\.yaml cannot be written/);
    assert.match(stdout, /default +auto \(turns run on loop\)/);
    assert.deepEqual(await runtimes(it), ["loop", "loop"]);
    await rm(file);
  });

  test("a variable that outranks the settings is named, and the settings stay", async () => {
    await using it = await talariaOnCodex([]);
    const before = await settings(it);
    const how = { input: lines(["/codex-runtime on"]), env: { TALARIA_RUNTIME: "loop" } };
    assert.match((await it.run([], how)).stdout, /TALARIA_RUNTIME says loop and outranks config\.yaml/);
    assert.equal(await settings(it), before);
  });
});

const lines = (input: readonly string[]): string => `${input.join("\n")}\n`;

const settings = ({ home }: Talaria): Promise<string> => readFile(join(home, "config.yaml"), "utf8");

/** Of all turns, oldest first. */
async function runtimes({ home }: Talaria): Promise<readonly string[]> {
  await using store = await openSqliteStore(join(home, "talaria.db"));
  const sessions = await store.sessions.list({ limit: 100 });
  const turns = await Promise.all(sessions.map(({ id }) => store.sessions.turns(id)));
  return turns
    .flat()
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ runtime }) => runtime);
}
