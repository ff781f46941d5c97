import assert from "node:assert/strict";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type TestContext, describe, test } from "node:test";
import { systemClock } from "../src/lib/clock.ts";
import { runCommand } from "../src/lib/process/command.ts";
import { testFolder } from "./temp-folder.ts";

/** A clone with a launcher, whose Node says what it is given. */
async function clone(t: TestContext): Promise<(path: string) => string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-launcher-")));
  t.after(() => rm(folder, { recursive: true }));
  const at = (path: string): string => join(folder, path);
  await put(at("src/main.ts"));
  await put(at("src/lib/one.ts"));
  await put(at("scripts/build.ts"));
  await put(at("node_modules/.package-lock.json"));
  for (const name of ["linux-x64", "linux-arm64", "darwin-x64", "bin-darwin-arm64"])
    await put(at(`node_modules/node-${name}/bin/node`), `#!/bin/sh\necho ${name} "$@"\n`, 0o755);
  await mkdir(at("bin"));
  await cp("bin/talaria", at("bin/talaria"));
  await build(at);
  return at;
}

async function put(file: string, text = "", mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

async function build(at: (path: string) => string): Promise<void> {
  await put(at("dist/main.js"));
  await tick(at("dist/main.js"));
  await put(at("dist/built"));
  await tick(at("dist/built"));
}

/** Until the clock of the disk is past this file: two changes at once would be none. */
async function tick(file: string): Promise<void> {
  const probe = join(tmpdir(), `talaria-tick-${process.pid}`);
  const { mtimeMs, ctimeMs } = await stat(file);
  do await writeFile(probe, "");
  while ((await stat(probe)).ctimeMs <= Math.max(mtimeMs, ctimeMs));
  await rm(probe);
}

async function started(program: string, path = process.env["PATH"] ?? "", cwd = "/"): Promise<string> {
  const { stdout } = await runCommand({
    command: "/bin/sh",
    args: [program, "run", "a b"],
    cwd,
    env: { PATH: path, HOME: "/nowhere" },
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
  });
  return stdout.trim();
}

const runs = async (at: (path: string) => string): Promise<string> =>
  /^\S+ (?:--\S+ )*(\S+)/.exec(await started(at("bin/talaria")))?.[1]?.slice(at("").length + 1) ?? "";

describe("launcher", () => {
  test("runs the bundle, wherever and by whatever name it is called", async (t) => {
    const at = await clone(t);
    const said = (await started(at("bin/talaria"))).replace(/^\S+ (?:--\S+ )*/, "");
    assert.equal(said, `${at("dist/main.js")} run a b`);
    await mkdir(at("links"));
    await symlink("../bin/talaria", at("links/near"));
    await symlink(at("links/near"), at("links/far"));
    assert.match(await started(at("links/far")), /dist\/main\.js run a b$/);
    assert.match(await started("talaria", undefined, at("bin")), /dist\/main\.js run a b$/);
  });

  test("without sources beside it runs the bundle, stamped or not", async (t) => {
    const at = await clone(t);
    await rm(at("src"), { recursive: true });
    await rm(at("dist/built"));
    assert.equal(await runs(at), "dist/main.js");
  });

  type Change = readonly [what: string, change: (at: (path: string) => string) => Promise<unknown>];
  const changes: readonly Change[] = [
    ["there is no bundle", (at) => rm(at("dist"), { recursive: true })],
    ["the build was cut short", (at) => rm(at("dist/main.js"))],
    ["a source is written", (at) => put(at("src/lib/one.ts"), "new")],
    ["a source is added", (at) => put(at("src/lib/two.ts"))],
    ["a source is deleted", (at) => rm(at("src/lib/one.ts"))],
    ["a source is renamed", (at) => rename(at("src/lib/one.ts"), at("src/lib/two.ts"))],
    ["a folder is renamed", (at) => rename(at("src/lib"), at("src/libs"))],
    [
      "a source is written and says it is old",
      async (at) => {
        await put(at("src/lib/one.ts"), "other");
        await utimes(at("src/lib/one.ts"), 1, 1);
      },
    ],
    ["packages were installed", (at) => put(at("node_modules/.package-lock.json"), "new")],
    ["it would be built in another way", (at) => put(at("scripts/build.ts"), "new")],
  ];
  for (const [what, change] of changes) {
    test(`runs the sources when ${what}, and a new bundle again`, async (t) => {
      const at = await clone(t);
      assert.equal(await runs(at), "dist/main.js");
      await change(at);
      assert.equal(await runs(at), "src/main.ts");
      await put(at("src/lib/one.ts"));
      await build(at);
      assert.equal(await runs(at), "dist/main.js");
    });
  }

  test("runs the sources when find cannot tell what is newer", async (t) => {
    const at = await clone(t);
    await put(at("other/find"), "#!/bin/sh\nexit 1\n", 0o755);
    assert.match(await started(at("bin/talaria"), `${at("other")}:${process.env["PATH"]}`), /src\/main\.ts/);
  });

  const machines = {
    "Linux x86_64": "linux-x64",
    "Linux aarch64": "linux-arm64",
    "Darwin x86_64": "darwin-x64",
    "Darwin arm64": "bin-darwin-arm64",
  };
  for (const [machine, node] of Object.entries(machines)) {
    test(`brings the Node of ${machine}`, async (t) => {
      const at = await clone(t);
      await put(at("other/uname"), `#!/bin/sh\necho ${machine}\n`, 0o755);
      const said = await started(at("bin/talaria"), `${at("other")}:${process.env["PATH"]}`);
      assert.equal(said.split(" ")[0], node);
    });
  }
});

test("started in a folder that was removed, it says so, and what to do", async (t) => {
  const folder = await testFolder(t);
  const gone = join(folder, "gone");
  await mkdir(gone);
  const { code, stderr } = await runCommand({
    command: "/bin/sh",
    args: ["-c", 'rmdir "$0" && exec "$@"', gone, process.execPath, resolve("src/main.ts"), "--version"],
    cwd: gone,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    clock: systemClock,
    signal: t.signal,
  });
  assert.equal(code, 1);
  assert.match(stderr, /The folder you are in .* was removed\.\n +Go to another one: cd ~/);
});
