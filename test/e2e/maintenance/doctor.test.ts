import assert from "node:assert/strict";
import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { isAlive, startTimeOf } from "../../../src/lib/process/process-identity.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { processesOf } from "../codex/codex-talaria.ts";
import { says, talariaOn } from "../endpoint.ts";
import { codexMissing, codexTooOld, codexWith, empty, fullDisk, noSandbox, type Scene } from "../scenes.ts";
import type { Line, Result } from "../talaria.ts";

const settings = async (home: string, text: string): Promise<void> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(join(home, "config.yaml"), text, { mode: 0o600 });
};

const onCodex = "model: { provider: openai-codex, openai_runtime: codex_app_server }\n";

type Told = {
  readonly code: number | null;
  readonly checks: readonly Line[];
  readonly summary: Line | undefined;
};

/** What it says as JSON; whatever failed must have a next step. */
async function doctor(scene: Pick<Scene, "run">, ...args: string[]): Promise<Told> {
  const { code, lines, stderr }: Result = await scene.run(["doctor", "--json", ...args]);
  assert.equal(stderr, "");
  const checks = lines.filter(({ type }) => type === "check");
  for (const { ok, next, name } of checks)
    assert.ok(ok === true || (next ?? "") !== "", `${name} has a next step`);
  const summary = lines.find(({ type }) => type === "summary");
  assert.equal(lines.at(-1), summary);
  return { code, checks, summary };
}

const failures = ({ checks }: Told): readonly unknown[] =>
  checks.filter(({ ok }) => ok === false).map(({ name }) => name);
const find = ({ checks }: Told, name: string): Line =>
  checks.find((check) => check["name"] === name) ?? assert.fail(`no line about ${name}`);

describe("doctor", { concurrency: 2 }, () => {
  test("finds nothing wrong before the first use, and leaves no trace", async () => {
    await using scene = await empty();
    const { code, stdout, stderr } = await scene.run(["doctor"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.doesNotMatch(stdout, /^FAIL/m);
    for (const name of [
      "node",
      "launcher",
      "disk",
      "home",
      "settings",
      "store",
      "model",
      "codex",
      "codex settings",
      "codex login",
      "sandbox",
      "approvals",
    ])
      assert.match(stdout, new RegExp(`^(?:ok  |note) ${name}: `, "m"));
    assert.match(stdout, /^note model: demo, the built-in offline model/m);
    assert.match(
      stdout,
      /on the loop every action is looked at[\s\S]*on codex only what codex asks about is looked at/,
    );
    assert.match(stdout, /\n\nNothing is wrong; \d to note\.\n$/);
    assert.deepEqual(await readdir(scene.it.folder), ["work"], "neither Talaria's home nor codex's was made");
  });

  test("names whatever is wrong with the step that mends it, and asks no model", async () => {
    await using it = await talariaOn([says("never asked")]);
    await rm(join(it.home, ".env"));
    await chmod(it.home, 0o755);
    const [words, told] = [await it.run(["doctor"]), await doctor(it)];
    assert.deepEqual([words.code, told.code], [1, 1]);
    assert.match(words.stdout, /^FAIL model: .*MINE_KEY is not set\.\n {5}→ Put MINE_KEY=… into/m);
    assert.match(words.stdout, /^FAIL home: .*can be read by others\n {5}→ chmod 700 /m);
    assert.match(
      words.stdout,
      /\n2 things are wrong; what to do is below each\. talaria doctor --fix can fix one of these\.\n$/,
    );
    assert.deepEqual(failures(told).toSorted(), ["home", "model"]);
    assert.partialDeepStrictEqual(told.summary, { type: "summary", ok: false, failed: 2 });
    assert.equal(it.model.total, 0);
  });

  test("--fix makes private what others could read, says so, and looks again", async () => {
    await using scene = await empty();
    const { home } = scene.it;
    await settings(home, "# mine\n");
    await writeFile(join(home, ".env"), "A_KEY=sk-1\n");
    await chmod(join(home, ".env"), 0o644);
    await chmod(home, 0o750);
    assert.deepEqual(failures(await doctor(scene)), ["home", "files"]);
    const { code, stdout } = await scene.run(["doctor", "--fix"]);
    assert.equal(code, 0, stdout);
    assert.match(
      stdout,
      /^fixed: \S+home is yours alone now \(mode 700\)\.\nfixed: \S+\.env is yours alone now \(mode 600\)\.\n/,
    );
    assert.match(stdout, /^ok {3}files: /m);
    assert.equal((await stat(home)).mode & 0o777, 0o700);
    assert.equal((await stat(join(home, ".env"))).mode & 0o777, 0o600);
    assert.equal(await readFile(join(home, "config.yaml"), "utf8"), "# mine\n");
  });

  test("--fix ends what an earlier run has left behind, and nobody else", async () => {
    await using scene = await empty();
    assert.equal((await scene.run(["run", "-q", "hello"])).code, 0);
    const child = await scene.it.shell("echo $$; exec sleep 600");
    const pid = Number((await child.shows(/^(\d+)\n/))[1]);
    const orphan = { pid, startTime: startTimeOf(pid) ?? "" };
    {
      await using store = await openSqliteStore(join(scene.it.home, "talaria.db"));
      const owner = { host: hostname(), pid: 1, startTime: "never" };
      await store.processes.add({ ...orphan, kind: "codex", owner });
    }
    const before = await doctor(scene);
    assert.partialDeepStrictEqual(find(before, "processes"), { ok: false, fixable: true });
    assert.match(String(find(before, "processes")["detail"]), new RegExp(`codex ${pid}`));
    const after = await doctor(scene, "--fix");
    assert.equal(after.code, 0);
    assert.equal(isAlive(orphan), false);
    await child.finished;
  });

  test("says where the settings are broken, checks the rest, and exits with 2", async () => {
    await using scene = await empty();
    await settings(scene.it.home, "model:\n  provider: openai\n  default: [\n");
    const told = await doctor(scene);
    assert.equal(told.code, 2);
    assert.match(String(find(told, "settings")["detail"]), /config\.yaml:\d+:\d+: /);
    assert.ok(["node", "disk", "home", "store"].every((name) => find(told, name)["ok"] === true));
    assert.equal((await scene.run(["doctor", "-p", "nobody"])).code, 2);
  });

  test("mentions a key that no setting uses, and how it could be used, while the demo answers", async () => {
    await using scene = await empty();
    const env = { ANTHROPIC_API_KEY: "sk-ant-4f1c9a77e0b2d6" };
    const { stdout } = await scene.run(["doctor"], { env });
    assert.match(
      stdout,
      /^note model: demo.*\n {5}→ talaria setup chooses a real one\. ANTHROPIC_API_KEY is set, but .*--key-env ANTHROPIC_API_KEY/m,
    );
    assert.ok(!stdout.includes(env.ANTHROPIC_API_KEY));
    await settings(
      scene.it.home,
      "providers: { claude: { api: 'http://127.0.0.1:1', key_env: ANTHROPIC_API_KEY } }\n",
    );
    assert.doesNotMatch((await scene.run(["doctor"], { env })).stdout, /ANTHROPIC/);
  });

  test("names keys without effect and misspelt variables", async () => {
    await using scene = await empty();
    await settings(scene.it.home, "aprovals: { deny: [rm] }\nkanban: {}\n");
    const { code, stdout } = await scene.run(["doctor"], { env: { TALARIA_MODLE: "x" } });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^FAIL settings: .*config\.yaml:1:1: aprovals: is not a known key.*did you mean approvals\?\n {5}→ Change or remove it/m,
    );
    assert.match(
      stdout,
      /^FAIL settings: environment: TALARIA_MODLE: has no effect; did you mean TALARIA_MODEL\?/m,
    );
    assert.match(stdout, /^note settings: .*kanban: has no effect in this version/m);
  });

  test("tells a damaged store from a sound one, and touches neither", async () => {
    await using scene = await empty();
    assert.equal((await scene.run(["run", "-q", "hello"])).code, 0);
    assert.match(String(find(await doctor(scene), "store")["detail"]), /schema \d+, sound/);
    const file = join(scene.it.home, "talaria.db");
    const bytes = await readFile(file);
    bytes.fill(7, 8192, 40_960);
    await writeFile(file, bytes);
    const told = await doctor(scene, "--fix");
    assert.equal(told.code, 1);
    assert.match(String(find(told, "store")["detail"]), /is damaged: |is not a sound database: /);
    assert.deepEqual(await readFile(file), bytes);
  });

  test("tells the database of another program, and one of a newer Talaria", async () => {
    await using scene = await empty();
    await settings(scene.it.home, "");
    const file = join(scene.it.home, "talaria.db");
    new DatabaseSync(file).exec("create table mine (x)");
    assert.match(String(find(await doctor(scene), "store")["detail"]), /is the database of another program/);
    await rm(file);
    assert.equal((await scene.run(["run", "-q", "hello"])).code, 0);
    new DatabaseSync(file).exec("pragma user_version = 99");
    const told = await doctor(scene);
    assert.match(String(find(told, "store")["detail"]), /written by a newer Talaria/);
  });

  test("asks the provider for its models alone, and says when it has not the one that is set", async () => {
    await using it = await talariaOn([says("never asked")]);
    const told = await doctor(it);
    assert.equal(told.code, 0);
    assert.partialDeepStrictEqual(find(told, "model"), { ok: true, level: "note" });
    assert.match(String(find(told, "model")["next"]), /It lists: demo\./);
    await writeFile(join(it.home, "config.yaml"), "model: { provider: vllm, default: x }\n");
    const dead = await doctor(it);
    assert.equal(dead.code, 1);
    assert.match(String(find(dead, "model")["detail"]), /Could not reach vllm at .*ECONNREFUSED/);
    assert.equal(it.model.total, 0);
  });
});

describe("doctor and codex", { concurrency: 2 }, () => {
  test("a codex that is missing is wrong only for those who chose it", async () => {
    await using scene = await codexMissing();
    const unused = await doctor(scene);
    assert.partialDeepStrictEqual(find(unused, "codex"), { ok: true, level: "note" });
    await settings(scene.it.home, onCodex);
    const told = await doctor(scene);
    assert.equal(told.code, 1);
    assert.ok(failures(told).includes("codex"));
    assert.match(String(find(told, "codex")["detail"]), /was not found on the PATH/);
    assert.match(String(find(told, "codex")["next"]), /npm install -g @openai\/codex/);
  });

  test("one that is too old is named with its version and the one that is needed", async () => {
    await using scene = await codexTooOld();
    await settings(scene.it.home, onCodex);
    const told = await doctor(scene);
    assert.equal(told.code, 1);
    assert.match(
      String(find(told, "codex")["detail"]),
      /codex 0\.100\.0, which is too old: 0\.125\.0 or newer/,
    );
  });

  test("one without a login is told how to log in", async () => {
    await using scene = await codexWith("");
    await settings(scene.it.home, onCodex);
    const told = await doctor(scene);
    assert.deepEqual([told.code, failures(told)], [1, ["codex login"]]);
    assert.equal(find(told, "codex login")["next"], "talaria codex login");
    await writeFile(
      join(scene.codexHome, "auth.json"),
      JSON.stringify({ OPENAI_API_KEY: "sk-secret-1234567890" }),
    );
    const after = await scene.run(["doctor"]);
    assert.equal(after.code, 0);
    assert.match(after.stdout, /^ok {3}codex login: .*API key/m);
    assert.ok(!after.stdout.includes("sk-"), "no part of the key is shown");
  });

  test("settings that codex cannot read are quoted with their place", async () => {
    await using scene = await codexWith("sandbox_mode = = 1\n");
    await settings(scene.it.home, onCodex);
    const told = await doctor(scene);
    assert.deepEqual([told.code, failures(told)], [1, ["codex settings"]]);
    assert.match(String(find(told, "codex settings")["detail"]), /config\.toml:1:16/);
    await writeFile(join(scene.codexHome, "config.toml"), `approval_policy = "untrusted"\n`);
    const stopped = await doctor(scene);
    assert.match(String(find(stopped, "codex settings")["next"]), /Remove approval_policy from/);
    await writeFile(join(scene.codexHome, "config.toml"), `approval_policy = "never"\n`);
    assert.match(String(find(await doctor(scene), "codex settings")["detail"]), /approval_policy is never/);
    const gone = await doctor({ run: (args) => scene.run(args, { env: { CODEX_HOME: "/nowhere" } }) });
    assert.match(String(find(gone, "codex settings")["detail"]), /CODEX_HOME points to "\/nowhere"/);
  });
});

test("doctor is left at once by Ctrl+C, also while something hangs, and nothing is left running", async () => {
  await using scene = await empty();
  const bin = join(scene.it.folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "codex"), "#!/bin/sh\nsleep 600\n", { mode: 0o755 });
  const PATH = `${bin}:${scene.it.world.env["PATH"] ?? ""}`;
  const child = await scene.it.start(["doctor"], { env: { PATH } });
  await child.shows(/^ok {3}store: /m);
  child.signal("SIGINT");
  const { code, stdout } = await child.finished;
  assert.equal(code, 130);
  assert.doesNotMatch(stdout, /codex/, "nobody waited for it");
  assert.deepEqual(await processesOf(scene.it), []);
});

describe("doctor on a machine that lacks something", () => {
  test("says that the disk is full, and what to do", async (t) => {
    const scene = await fullDisk();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const told = await doctor(scene);
    assert.equal(told.code, 1);
    assert.match(String(find(told, "disk")["detail"]), /no space left to write in/);
    assert.match(String(find(told, "disk")["next"]), /Free space on the disk that holds/);
  });

  test("says why there is no sandbox, and what follows from it", async (t) => {
    const scene = await noSandbox();
    if (typeof scene === "string") return t.skip(scene);
    await using _ = scene;
    const told = await doctor(scene);
    assert.deepEqual([told.code, failures(told)], [1, ["sandbox"]]);
    assert.match(String(find(told, "sandbox")["detail"]), /each asks, there is no sandbox: .*namespace/);
    assert.match(String(find(told, "sandbox")["next"]), /user namespaces/);
  });
});
