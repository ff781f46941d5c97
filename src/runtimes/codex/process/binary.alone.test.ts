import assert from "node:assert/strict";
import { chmod, copyFile, mkdir, readFile, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../../../test/temp-folder.ts";
import { pinnedCodex } from "../../../../test/codex-schema/pinned-codex.ts";
import type { Fault } from "../../../core/faults.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Clock } from "../../../lib/clock.ts";
import { findCodex } from "./binary.ts";
import type { CodexBinary, FindCodex } from "./binary.ts";

const repository = join(import.meta.dirname, "../../../..");
const wrapper = join(repository, "node_modules/@openai/codex/bin/codex.js");
let folder: string;
before(async () => {
  folder = await newFolder();
});
after(() => rm(folder, { recursive: true, force: true }));

describe("codex is looked for", () => {
  test("where the settings say, then on the PATH, then among our own packages", async () => {
    const onPath = await program("on-path", "echo codex-cli 0.150.0");
    const configured = await program("configured", "echo codex-cli 0.140.0");
    const env = { PATH: `/nowhere:${dirname(onPath)}:/usr/bin:/bin` };
    assert.deepEqual(await find({ env, configured }), {
      path: configured,
      version: "0.140.0",
      from: "config",
    });
    assert.deepEqual(await find({ env }), { path: onPath, version: "0.150.0", from: "path" });
    assert.deepEqual(await find({ env: { PATH: "/nowhere" } }), {
      path: pinnedCodex(),
      version: "0.166.0",
      from: "own",
    });
  });

  test("and not found: the message says how to get it", async () => {
    const fault = await faultOf({ env: { PATH: "/nowhere" }, ownRoot: folder });
    assert.equal(fault.code, "config");
    assert.match(fault.message, /codex was not found on the PATH/);
    assert.match(fault.next, /npm install -g @openai\/codex.*model\.codex_bin/);
  });

  test("past a file on the PATH that may not be run, which is named if there is no other", async () => {
    const locked = await program("locked", "echo codex-cli 0.150.0");
    await chmod(locked, 0o644);
    const good = await program("behind", "echo codex-cli 0.150.0");
    const env = { PATH: `${dirname(locked)}:${dirname(good)}:/bin` };
    assert.equal(((await find({ env })) as CodexBinary).path, good);
    const fault = await faultOf({ env: { PATH: dirname(locked) }, ownRoot: folder });
    assert.ok(fault.message.includes(`${locked} is there, but may not be run`));
  });

  test("never in the folder where we happen to be, whatever the PATH says", async () => {
    const path = await program("here", "echo codex-cli 0.150.0");
    const here = relative(process.cwd(), dirname(path));
    const fault = await faultOf({ env: { PATH: `.:${here}::` }, ownRoot: folder });
    assert.match(fault.message, /codex was not found on the PATH/);
  });

  test("by name, or with ~ for the home, as the settings have it", async () => {
    const path = await program("by-name", "echo codex-cli 0.150.0");
    const env = { PATH: `${dirname(path)}:/bin`, HOME: folder };
    assert.equal(((await find({ env, configured: "codex" })) as CodexBinary).path, path);
    assert.equal(((await find({ env, configured: "~/by-name/codex" })) as CodexBinary).path, path);
  });
});

describe("a path in the settings that cannot be used", () => {
  test("is named with the reason and what to do, and nothing else is taken instead", async () => {
    const locked = await program("not-executable", "echo codex-cli 0.150.0");
    await chmod(locked, 0o644);
    const wrong = [
      [join(folder, "nothing"), /there is no such file/],
      [folder, /that is a folder/],
      [locked, /chmod \+x/],
      [join(locked, "below"), /there is no such file/],
      ["no-such-codex", /no program of that name is on the PATH/],
    ] as const;
    for (const [configured, why] of wrong) {
      const fault = await faultOf({ configured });
      assert.equal(fault.code, "config");
      assert.ok(fault.message.includes(configured), fault.message);
      assert.match(fault.message, why);
      assert.match(fault.next, /model\.codex_bin/);
    }
  });
});

describe("npm's wrapper", () => {
  test("is passed over: the native program behind it is taken, also through a link", async () => {
    const link = join(folder, "linked-codex");
    await symlink(wrapper, link);
    for (const configured of [wrapper, link])
      assert.deepEqual(await find({ configured }), {
        path: pinnedCodex(),
        version: "0.166.0",
        from: "config",
      });
  });

  test("without its native program is asked itself, and its words are shown", async () => {
    const root = join(folder, "half/node_modules/@openai/codex");
    await mkdir(join(root, "bin"), { recursive: true });
    await copyFile(join(dirname(wrapper), "../package.json"), join(root, "package.json"));
    await copyFile(wrapper, join(root, "bin/codex.js"));
    await chmod(join(root, "bin/codex.js"), 0o755);
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    const fault = await faultOf({ configured: join(root, "bin/codex.js"), env });
    assert.match(fault.message, /Missing optional dependency @openai\/codex-/);
    assert.match(fault.next, /npm install -g/);
  });

  test("of another kind, such as a script of the person's own, is used as it is", async () => {
    const own = await program("own-script", `exec ${pinnedCodex()} "$@"`);
    assert.deepEqual(await find({ configured: own }), { path: own, version: "0.166.0", from: "config" });
  });
});

describe("the version", () => {
  test("that is too old or cannot be read is refused, with how to get a newer one", async () => {
    const old = await program("old", "echo codex-cli 0.124.9");
    assert.match(
      (await faultOf({ configured: old })).message,
      /codex 0\.124\.9, which is too old: 0\.125\.0/,
    );
    const odd = await program("odd", "echo hello there");
    const fault = await faultOf({ configured: odd });
    assert.match(fault.message, /does not say which version it is; it printed “hello there”/);
    assert.match(fault.next, /npm install -g @openai\/codex/);
  });

  test("that is newer than tested is taken, with a warning", async () => {
    const found = (await find({ configured: await program("new", "echo codex-cli 0.999.1") })) as CodexBinary;
    assert.equal(found.version, "0.999.1");
    assert.match(found.warning ?? "", /0\.999\.1 is newer/);
  });

  test("is asked once for a file that did not change, and again when it did", async () => {
    const counter = join(folder, "asked");
    const path = await program("counted", `echo x >> ${counter}; wc -l < ${counter} | sed 's/^/0.150./'`);
    const version = async () => ((await find({ configured: path })) as CodexBinary).version;
    assert.deepEqual([await version(), await version()], ["0.150.1", "0.150.1"]);
    await utimes(path, 1, 1);
    assert.equal(await version(), "0.150.2");
  });

  test("of codex itself is kept for the next start, for as long as it is the same file", async () => {
    const home = join(folder, "home");
    await mkdir(home);
    const versionKeptIn = join(home, "cache", "codex-version.json");
    // Each PATH is another question, so nothing is answered from memory.
    const version = async (asked: string, more: Partial<FindCodex> = {}) => {
      const env = { PATH: `/${asked}:/usr/bin:/bin` };
      return ((await find({ configured: pinnedCodex(), env, versionKeptIn, ...more })) as CodexBinary)
        .version;
    };
    assert.equal(await version("first"), "0.166.0");
    const kept = await readFile(versionKeptIn, "utf8");
    await writeFile(versionKeptIn, kept.replace("0.166.0", "0.165.9"));
    assert.equal(await version("second"), "0.165.9");
    assert.equal(await version("second", { afresh: "scripts" }), "0.165.9");
    assert.equal(await version("third", { afresh: true }), "0.166.0");
    assert.equal(await readFile(versionKeptIn, "utf8"), kept);
    await writeFile(versionKeptIn, kept.replace("0.166.0", "0.165.9").replace("[[", "[[1"));
    assert.equal(await version("fourth"), "0.166.0");
    await writeFile(versionKeptIn, kept.slice(0, 30));
    assert.equal(await version("fifth"), "0.166.0");
  });

  test("of a script or a version manager, or without a home, is not kept", async () => {
    const home = join(folder, "other-home");
    await mkdir(home);
    const versionKeptIn = join(home, "cache", "codex-version.json");
    const script = await program("kept-script", "echo codex-cli 0.150.0");
    const manager = join(folder, "manager");
    await copyFile("/bin/echo", manager);
    await mkdir(join(folder, "shims"));
    await symlink(manager, join(folder, "shims/codex"));
    await find({ configured: script, versionKeptIn });
    await find({ configured: join(folder, "shims/codex"), versionKeptIn });
    assert.deepEqual(await readdir(home), []);
    const nowhere = join(folder, "no-home");
    await find({ configured: pinnedCodex(), versionKeptIn: join(nowhere, "cache", "codex-version.json") });
    await assert.rejects(readdir(nowhere), { code: "ENOENT" });
  });

  test("stays with the file that was found for as long as it is there", async () => {
    const [early, late] = [join(folder, "early"), dirname(await program("late", "echo codex-cli 0.150.0"))];
    const search = async () =>
      ((await find({ env: { PATH: `${early}:${late}:/usr/bin:/bin` } })) as CodexBinary).version;
    assert.equal(await search(), "0.150.0");
    await program("early", "echo codex-cli 0.151.0");
    assert.equal(await search(), "0.150.0");
    await rm(join(late, "codex"));
    assert.equal(await search(), "0.151.0");
  });

  test("of a program that fails, is no program, or is none for this machine, is refused with its words", async () => {
    const failing = await program("failing", "echo 'cannot open shared object' >&2; exit 127");
    assert.match(
      (await faultOf({ configured: failing })).message,
      /cannot be run: “cannot open shared object”/,
    );
    const foreign = join(folder, "foreign");
    await writeFile(foreign, Buffer.from("7f454c460201010000000000000000000200ffff01000000", "hex"), {
      mode: 0o755,
    });
    const fault = await faultOf({ configured: foreign });
    assert.match(fault.message, /foreign.*(another system or processor|no program for this machine)/);
  });

  test("is waited for ten seconds", async () => {
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      sleep(ms, signal, options) {
        waits.push(ms);
        return systemClock.sleep(ms / 20, signal, options);
      },
    };
    const stuck = await program("stuck", "exec sleep 600");
    assert.match((await faultOf({ configured: stuck, clock })).message, /did not answer within 10 seconds/);
    assert.equal(waits[0], 10_000);
  });

  test("is not waited for when the search is given up", async () => {
    const stuck = await program("stuck-too", "exec sleep 600");
    const looking = find({ configured: stuck, signal: AbortSignal.abort(new Error("enough")) });
    await assert.rejects(looking, /enough/);
  });
});

async function program(name: string, script: string): Promise<string> {
  await mkdir(join(folder, name), { recursive: true });
  const path = join(folder, name, "codex");
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

const find = (options: Partial<FindCodex>): Promise<CodexBinary | Fault> =>
  findCodex({
    env: { PATH: "/usr/bin:/bin" },
    ownRoot: repository,
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
    ...options,
  });

async function faultOf(options: Partial<FindCodex>): Promise<Fault> {
  const found = await find(options);
  assert.ok("code" in found, `found ${JSON.stringify(found)}`);
  return found;
}
