import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { processesOf } from "../codex/codex-talaria.ts";
import {
  codexMissing,
  codexTooOld,
  codexWith,
  empty,
  fullDisk,
  leftIn,
  noSandbox,
  type Scene,
} from "../scenes.ts";
import type { Line } from "../talaria.ts";

type Told = {
  readonly code: number | null;
  readonly steps: readonly Line[];
  readonly summary: Line | undefined;
};

/** As JSON; whatever failed must have a next step, and no process may be left. */
async function selftest(scene: Scene, env: Readonly<Record<string, string>> = {}): Promise<Told> {
  const { code, lines, stderr } = await scene.run(["selftest", "--json"], { env });
  assert.equal(stderr, "");
  const steps = lines.filter(({ type }) => type === "step");
  for (const { next, ...step } of steps)
    assert.equal(step["state"] === "failed", next !== undefined, JSON.stringify(step));
  assert.deepEqual(await processesOf(scene.it), []);
  return { code, steps, summary: lines.at(-1) };
}

const named = ({ steps }: Told, state: string): readonly unknown[] =>
  steps.filter((step) => step["state"] === state).map((step) => step["name"]);

const all = [
  "store",
  "tool on the loop",
  "approval on the loop",
  "codex",
  "command on codex",
  "approval on codex",
  "switch of runtime",
  "search",
  "recovery",
];
const withoutCodex = ["store", "tool on the loop", "approval on the loop", "search"];
const ofCodex = all.filter((name) => !withoutCodex.includes(name));

describe("selftest", { concurrency: 2 }, () => {
  test("tries whole turns on both runtimes, and touches nobody's home", async () => {
    await using scene = await empty();
    const TMPDIR = join(scene.it.folder, "tmp");
    await mkdir(TMPDIR);
    const { code, stdout, stderr } = await scene.run(["selftest"], {
      env: { TMPDIR, OPENAI_API_KEY: "sk-unused" },
    });
    assert.deepEqual([code, stderr], [0, ""], stdout);
    const lines = stdout.split("\n");
    assert.deepEqual(
      lines.slice(0, all.length).map((line) => /^✓ (.*?) \([\d.]+ m?s\): \S/.exec(line)?.[1]),
      all,
    );
    assert.match(stdout, /\n\nEverything works: 9 steps\. \(\d+\.\d s\)\n$/);
    assert.deepEqual(await leftIn(TMPDIR), []);
    assert.deepEqual((await readdir(scene.it.folder)).toSorted(), ["tmp", "work"]);
    assert.deepEqual(await readdir(scene.it.cwd), []);
    assert.deepEqual(await processesOf(scene.it), []);
  });

  test("without a login, with broken settings of codex and of Talaria, works all the same", async () => {
    await using scene = await codexWith("sandbox_mode = = 1\n");
    await mkdir(scene.it.home);
    await writeFile(join(scene.it.home, "config.yaml"), "model: [\n");
    const told = await selftest(scene);
    assert.deepEqual([told.code, named(told, "ok")], [0, all]);
    assert.deepEqual(await readdir(scene.it.home), ["config.yaml"]);
  });

  test("where codex is missing or too old, tries the rest and says what was left out and why", async () => {
    await using missing = await codexMissing();
    const told = await selftest(missing);
    assert.deepEqual([told.code, named(told, "ok"), named(told, "skipped")], [0, withoutCodex, ofCodex]);
    assert.match(
      String(told.steps.find(({ name }) => name === "codex")?.["detail"]),
      /not found.*npm install -g/,
    );
    assert.partialDeepStrictEqual(told.summary, {
      type: "summary",
      ok: true,
      failed: 0,
      skipped: ofCodex.length,
    });
    await using old = await codexTooOld();
    const { code, stdout } = await old.run(["selftest"]);
    assert.equal(code, 0);
    assert.match(stdout, /^- codex \(.*\): left out: .*0\.100\.0, which is too old/m);
    assert.match(stdout, /What could be tried works: 4 steps; 5 were left out\./);
  });

  test("needs no network but the machine's own", async (t) => {
    await using scene = await empty();
    const alone = "unshare -Urn sh -c 'ip link set lo up && exec \"$@\"' sh";
    const tried = await scene.it.shell(`${alone} true`);
    tried.closeInput();
    if ((await tried.finished).code !== 0) return t.skip("there is no way here to be without a network");
    const child = await scene.it.shell(`exec ${alone} "$0" selftest`);
    child.closeInput();
    const { code, stdout } = await child.finished;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Everything works: 9 steps\./);
  });

  test("uses the codex that the settings name", async () => {
    await using scene = await empty();
    await mkdir(scene.it.home, { mode: 0o700 });
    await writeFile(join(scene.it.home, "config.yaml"), "model: { codex_bin: /nowhere/codex }\n");
    const told = await selftest(scene);
    assert.match(String(told.steps.find(({ name }) => name === "codex")?.["detail"]), /\/nowhere\/codex/);
  });

  test("Ctrl+C ends it, and nothing is left", async () => {
    await using scene = await empty();
    const TMPDIR = join(scene.it.folder, "tmp");
    await mkdir(TMPDIR);
    const child = await scene.it.start(["selftest"], { env: { TMPDIR } });
    await child.shows(/^✓ store/m);
    child.signal("SIGINT");
    const { code, stderr } = await child.finished;
    assert.equal(code, 130);
    assert.match(stderr, /Stopped; nothing is left of it\./);
    assert.deepEqual(await leftIn(TMPDIR), []);
    assert.deepEqual(await processesOf(scene.it), []);
  });
});

describe("selftest on a machine that lacks something", () => {
  test("a full disk fails it with what to do", async (t) => {
    const scene = await fullDisk();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const { code, stdout, stderr } = await scene.run(["selftest"], {
      env: { TMPDIR: join(scene.folder, "tmp") },
    });
    assert.equal(code, 1, stdout);
    assert.match(`${stdout}${stderr}`, /no space left|ENOSPC/i);
    assert.match(`${stdout}${stderr}`, /Free space on the disk/);
    assert.deepEqual(await readdir(join(scene.folder, "tmp")), []);
  });

  test("a missing sandbox fails the step that needs it, and the others are tried", async (t) => {
    const scene = await noSandbox();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const told = await selftest(scene);
    assert.deepEqual([told.code, named(told, "failed")], [1, ["command on codex"]]);
    const step = told.steps.find(({ name }) => name === "command on codex");
    assert.match(String(step?.["detail"]), /could not run a command in its sandbox: .*namespace/);
    assert.match(step?.next ?? "", /user namespaces/);
  });
});
