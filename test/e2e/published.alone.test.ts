import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildInto } from "../../scripts/build.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { runCommand } from "../../src/lib/process/command.ts";
import { talaria } from "./talaria.ts";

type Manifest = {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

let folder = "";
const at = (path: string): string => join(folder, path);
const program = (): string => at("package/bin/talaria");

/** Packed by npm, unpacked elsewhere, beside the packages that `npm i -g` installs with it and no others. */
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "talaria-published-")));
  const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
  for (const name of ["package.json", "src", ...manifest.files.filter((file) => file !== "dist")])
    await cp(name, at(`clone/${name}`), { recursive: true });
  await buildInto(at("clone/dist"));
  await sh(`cd clone && npm pack --ignore-scripts --silent && tar -xzf *.tgz -C ..`);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    await mkdir(dirname(at(`package/node_modules/${name}`)), { recursive: true });
    const installed = await realpath(resolve("node_modules", name)).catch(() => undefined);
    if (installed !== undefined) await symlink(installed, at(`package/node_modules/${name}`));
  }
});
after(() => rm(folder, { recursive: true, force: true }));

async function sh(line: string): Promise<string> {
  const { code, stdout } = await runCommand({
    command: "/bin/sh",
    args: ["-c", line],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    clock: systemClock,
    signal: AbortSignal.timeout(120_000),
  });
  assert.equal(code, 0, line);
  return stdout;
}

describe("the published package", () => {
  test("has the bundle and no sources", async () => {
    const names = await readdir(at("package"), { recursive: true });
    const ours = names.filter((name) => !name.startsWith("node_modules"));
    assert.ok(ours.includes("dist/main.js"));
    assert.deepEqual(
      ours.filter((name) => /\.tsx?$|^src/.test(name)),
      [],
    );
  });

  test("answers, and knows its version", async () => {
    await using own = await talaria({ program: program() });
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    assert.equal((await own.run(["--version"])).stdout, `${version}\n`);
    const said = await own.run(["run", "hello"]);
    assert.equal(said.code, 0, said.stderr);
    assert.match(said.stdout, /demo model/);
  });

  test("loads no second HTTP library for a turn: that takes as long as a third of Node's own start", async () => {
    await using own = await talaria({ program: program() });
    const told = `process.on("exit", () => process._rawDebug("loaded:", process.moduleLoadList.filter((name) => /undici|^NativeModule http$/.test(name)).join()))`;
    const { code, stderr } = await own.run(["run", "hello"], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(told)}` },
    });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^loaded: NativeModule http$/m);
  });

  test("has all parts that it starts by themselves", async () => {
    const started = await sh(
      `cd ${resolve(".")} && grep -rhoE '[a-z-]+\\.child\\.ts' src --include='*.ts' | sort -u`,
    );
    const names = started.trim().split("\n");
    assert.ok(names.length > 2, "the search finds them");
    const there = await readdir(at("package/dist"));
    assert.deepEqual(
      names.filter((name) => !there.includes(name.replace(/ts$/, "js"))),
      [],
    );
  });

  test("names source files where something breaks", async () => {
    await using own = await talaria({ program: program() });
    const broken = "process.stdin.destroy = () => { throw new Error('planted'); }";
    const { code, stderr } = await own.run(["--version"], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}` },
    });
    assert.equal(code, 1);
    const lines = (await readFile("src/main.ts", "utf8")).split("\n");
    const line = 1 + lines.findIndex((text) => text.startsWith("process.stdin.destroy()"));
    assert.match(
      stderr,
      new RegExp(`Error: planted\\n(?: +at .*\\n)* +at file://${at("package/src/main.ts")}:${line}:15\\n`),
    );
  });
});
