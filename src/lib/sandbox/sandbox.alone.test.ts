import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { type TestContext, after, before, describe, test } from "node:test";
import { onLoopback } from "../../../test/loopback.ts";
import { systemClock } from "../clock.ts";
import { spawnChild } from "../process/child.ts";
import {
  type Folders,
  codexBinary,
  fencedFolders,
  pathWithBubblewrap,
  realFence,
  runFenced,
} from "./world.suite.ts";
import { notesFolder } from "./mount-points.ts";
import { type ActiveSandbox, findSandbox } from "./sandbox.ts";

const never = new AbortController().signal;
let codexHome: Folders;
before(async () => {
  codexHome = await fencedFolders();
});
after(() => codexHome[Symbol.asyncDispose]());

/** Undefined after it has said why the test cannot run here. */
async function active(kind: ActiveSandbox["kind"], t: TestContext): Promise<ActiveSandbox | undefined> {
  const found = await realFence(kind, codexHome.home);
  if (typeof found !== "string") return found;
  t.skip(`no sandbox of ${kind} on this machine: ${found}`);
  return undefined;
}

for (const kind of ["codex", "bubblewrap"] as const) {
  describe(`the sandbox of ${kind}`, { concurrency: 4 }, () => {
    test("lets a command write in its folder and nowhere else", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const script = `echo in > made && echo wrote; echo out > ${at.outside}/made && echo escaped; mkdir ${at.base}/x && echo escaped; true`;
      const { stdout } = await runFenced(is, at, script);
      assert.match(stdout, /^wrote\n/);
      assert.doesNotMatch(stdout, /escaped/);
      assert.equal(await readFile(join(at.folder, "made"), "utf8"), "in\n");
      assert.deepEqual(await readdir(at.outside), []);
    });

    test("that may only read still lets it write to its folder for temporary files", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      await writeFile(join(at.folder, "there"), "text");
      const script =
        "cat there; echo in > made && echo escaped; rm there && echo escaped; echo t > $TMPDIR/t && cat $TMPDIR/t";
      const { stdout } = await runFenced(is, at, script, { writable: false });
      assert.match(stdout, /^text/);
      assert.match(stdout, /\nt\n$/);
      assert.doesNotMatch(stdout, /escaped/);
      assert.deepEqual(await readdir(at.folder), ["there"]);
      assert.equal(await readFile(join(at.tmp, "t"), "utf8"), "t\n");
    });

    test("hides files and folders, by whatever path, and passes over what does not exist", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const [file, folder, linked] = [
        join(at.folder, "key"),
        join(at.outside, "keys"),
        join(at.outside, "linked"),
      ];
      await mkdir(folder);
      for (const path of [file, join(folder, "key"), linked]) await writeFile(path, "canary");
      await symlink(linked, join(at.folder, "link"));
      const hidden = [file, folder, join(at.folder, "link"), join(at.outside, "missing")];
      const script = `cat key ${folder}/key link ${linked} /proc/self/root${file}; rm -f key; mv key k; cat k; ls ${folder}; true`;
      const { stdout } = await runFenced(is, at, script, { hidden });
      assert.doesNotMatch(stdout, /canary/);
      assert.equal(await readFile(file, "utf8"), "canary");
      assert.deepEqual(await readdir(at.outside), ["keys", "linked"]);
    });

    test("hides what lies in a hidden folder and is hidden by itself too", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const inner = join(at.outside, "inner");
      await mkdir(inner);
      for (const folder of [at.outside, inner]) await writeFile(join(folder, "key"), "canary");
      const hidden = [at.outside, inner, join(inner, "key")];
      const script = `cat ${at.outside}/key ${inner}/key; echo in > made; cat made`;
      const { stdout } = await runFenced(is, at, script, { hidden });
      assert.doesNotMatch(stdout, /canary/);
      assert.match(stdout, /^in$/m);
    });

    test("keeps what is locked as it is, and .git too, even inside the folder", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const locked = join(at.folder, "settings");
      for (const path of [locked, join(at.folder, ".git/hooks")]) await mkdir(path, { recursive: true });
      await writeFile(join(locked, "config"), "mine");
      const script = `cat settings/config; for f in settings/config settings/new .git/hooks/x; do echo evil > $f && echo escaped; done; mv settings s && echo escaped; rm -rf settings .git; true`;
      const { stdout } = await runFenced(is, at, script, { locked: [locked] });
      assert.match(stdout, /^mine/);
      assert.doesNotMatch(stdout, /escaped/);
      assert.equal(await readFile(join(locked, "config"), "utf8"), "mine");
      assert.deepEqual(await readdir(join(at.folder, ".git/hooks")), []);
    });

    test("around a folder that is itself inside a locked one lets nothing be written", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const { stdout } = await runFenced(is, at, "echo in > made && echo escaped; true", {
        locked: [at.base],
      });
      assert.doesNotMatch(stdout, /escaped/);
      assert.deepEqual(await readdir(at.folder), []);
    });

    test("closes the network, this machine's own addresses included, unless it is allowed", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      let hits = 0;
      const server = createServer((socket) => {
        hits += 1;
        socket.end("hello\n");
      });
      await using bound = await onLoopback(server);
      const script = `exec 3<> /dev/tcp/127.0.0.1/${bound.port} && cat <&3`;
      const closed = await runFenced(is, at, script);
      assert.notEqual(closed.code, 0);
      assert.equal(hits, 0);
      const open = await runFenced(is, at, script, { network: true });
      assert.equal(open.stdout, "hello\n");
      assert.equal(hits, 1);
    });

    test("shows no process of this machine and gives no privilege", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const script = `kill -0 ${process.pid} 2> /dev/null && echo reached; grep CapEff /proc/self/status`;
      const { stdout } = await runFenced(is, at, script);
      assert.match(stdout, /^CapEff:\s+0+\n$/);
    });

    test("works in folders with awkward names", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const folder = join(at.base, `we"ird 'näme' = [x] \\ $HOME`);
      const sub = join(folder, "[s*b]");
      await mkdir(sub, { recursive: true });
      const { stdout } = await runFenced(is, { ...at, folder }, "pwd; echo in > made; cat made", {
        cwd: sub,
      });
      assert.equal(stdout, `${sub}\nin\n`);
      assert.deepEqual(await readdir(sub), ["made"]);
    });

    test("starts commands of several sessions in one folder at once", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const inSession = async (number: number): Promise<readonly string[]> => {
        const tmp = join(at.base, `tmp-${number}`);
        await mkdir(tmp);
        const said: string[] = [];
        for (let time = 0; time < 4; time += 1) {
          const { stdout, stderr } = await runFenced(is, { ...at, tmp }, "echo ran; : > $TMPDIR/own");
          said.push(stdout + stderr);
        }
        assert.deepEqual(await readdir(tmp), ["own"]);
        return said;
      };
      const said = await Promise.all([1, 2, 3, 4, 5, 6].map(inSession));
      assert.deepEqual(new Set(said.flat()), new Set(["ran\n"]));
      assert.deepEqual(await readdir(at.folder), []);
    });

    test("leaves nothing in the folder when it is ended in the middle", async (t) => {
      const is = await active(kind, t);
      if (is === undefined) return;
      await using at = await fencedFolders();
      const limits = {
        cwd: at.folder,
        folder: at.folder,
        writable: true,
        network: false,
        hidden: [],
        locked: [],
      };
      const sleeper = ["/bin/sh", "-c", "echo ready; exec sleep 600"];
      const wrapped = await is.wrap(sleeper, { PATH: "/usr/bin:/bin" }, { ...limits, tmp: at.tmp });
      const registry = { add: async () => {}, remove: async () => {} };
      await using child = await spawnChild({
        ...wrapped,
        cwd: at.folder,
        kind: "test",
        registry,
        clock: systemClock,
      });
      for await (const chunk of child.stdout) if (chunk.length > 0) break;
      await child.kill();
      assert.deepEqual(await readdir(at.folder), []);
    });
  });
}

describe("the sandbox of codex", () => {
  test("does not look at the person's own codex home, broken as it may be, and cannot change the one it uses", async () => {
    await using at = await fencedFolders();
    await mkdir(join(at.home, ".codex"));
    await writeFile(join(at.home, ".codex/config.toml"), "this is [not toml");
    const untouched = await stat(join(at.home, ".codex"));
    const is = await realFence("codex", at.outside);
    if (typeof is === "string") return;
    const script = `echo $CODEX_HOME; echo x > ${at.outside}/config.toml && echo escaped; echo fine`;
    const { stdout } = await runFenced(is, at, script, { folder: at.base, cwd: at.base });
    assert.match(stdout, /^\n/);
    assert.match(stdout, /fine\n$/);
    assert.doesNotMatch(stdout, /escaped/);
    assert.deepEqual(await readdir(join(at.home, ".codex")), ["config.toml"]);
    assert.equal((await stat(join(at.home, ".codex"))).mtimeMs, untouched.mtimeMs);
  });
});

describe("the sandbox of codex", () => {
  test("has a home of its own for each command that runs beside others, and takes one again", async (t) => {
    const is = await active("codex", t);
    if (is === undefined) return;
    await using at = await fencedFolders();
    const { folder, tmp } = at;
    const limits = { cwd: folder, folder, tmp, writable: true, network: false, hidden: [], locked: [] };
    const wrapped = (): ReturnType<typeof is.wrap> => is.wrap(["true"], { PATH: "/usr/bin:/bin" }, limits);
    const first = await wrapped();
    const second = await wrapped();
    assert.notEqual(second.env["CODEX_HOME"], first.env["CODEX_HOME"]);
    await first.tidy?.();
    const third = await wrapped();
    assert.equal(third.env["CODEX_HOME"], first.env["CODEX_HOME"]);
    for (const each of [second, third]) await each.tidy?.();
  });

  test("notes its mount points where we look for them", async (t) => {
    const is = await active("codex", t);
    if (is === undefined) return;
    await using at = await fencedFolders();
    const notes = await notesFolder(join(at.folder, ".git"));
    const { stdout } = await runFenced(is, at, `cat ${notes}/*`);
    assert.equal(stdout, "synthetic\n");
  });

  test("does not pretend to hide or lock a path that it takes for a pattern", async (t) => {
    const is = await active("codex", t);
    if (is === undefined) return;
    await using at = await fencedFolders();
    const path = join(at.outside, "a[b]");
    await writeFile(path, "canary");
    for (const limits of [{ hidden: [path] }, { locked: [path] }])
      await assert.rejects(runFenced(is, at, "true", limits), /cannot cover .*a\[b\]/);
  });
});

describe("the sandbox of bubblewrap", () => {
  test("has its own /tmp, in which the folder stays where it is", async (t) => {
    const is = await realFence("bubblewrap", codexHome.home);
    if (typeof is === "string") return t.skip(`no bubblewrap on this machine: ${is}`);
    await using at = await fencedFolders();
    const folder = await mkdtemp("/tmp/fence-");
    const name = `${basename(folder)}-file`;
    const { stdout } = await runFenced(
      is,
      { ...at, folder },
      `echo mine > /tmp/${name}; echo in > made; ls /run`,
    );
    assert.equal(stdout, "");
    assert.equal(await readFile(join(at.tmp, name), "utf8"), "mine\n");
    assert.equal(await readFile(join(folder, "made"), "utf8"), "in\n");
    await assert.rejects(stat(join("/tmp", name)));
    await rm(folder, { recursive: true });
  });
});

describe("looking for a sandbox", () => {
  test("says why there is none", async () => {
    const sandbox = await findSandbox({ env: { PATH: "/nowhere" }, clock: systemClock, signal: never });
    assert.deepEqual(sandbox, {
      kind: "none",
      why: "codex was not found; bubblewrap (bwrap) was not found on the PATH",
    });
  });

  test("takes bubblewrap when codex cannot do it, and says why not codex", async (t) => {
    await using at = await fencedFolders();
    const codex = await program(at, "codex", "echo 'error: no such option' >&2; exit 2");
    const env = { PATH: await pathWithBubblewrap() };
    const sandbox = await findSandbox({
      codex: { binary: codex, home: at.home },
      env,
      clock: systemClock,
      signal: never,
    });
    if (sandbox.kind === "none") return t.skip(`no bubblewrap on this machine: ${sandbox.why}`);
    assert.equal(sandbox.kind, "bubblewrap");
    assert.equal(sandbox.why, `\`${codex} sandbox\` does not work here: “error: no such option”`);
  });

  test("takes codex with its own bwrap, whatever bwrap is on the PATH, which stays the command's", async (t) => {
    if ((await active("codex", t)) === undefined) return;
    await using at = await fencedFolders();
    await oldBubblewrap(at);
    const sandbox = await findSandbox({
      codex: { binary: await codexBinary(), home: at.home },
      env: { PATH: `${at.outside}:/usr/bin:/bin` },
      clock: systemClock,
      signal: never,
    });
    assert.deepEqual([sandbox.kind, sandbox.why], ["codex", undefined]);
    if (sandbox.kind === "none") return;
    const { stdout } = await runFenced(sandbox, at, "echo $PATH", { hidden: [at.home] });
    assert.match(stdout, /^\S+:\/usr\/bin:\/bin\n$/);
    assert.doesNotMatch(stdout, new RegExp(`${at.home}(:|$)`));
    await assert.rejects(stat(join(at.base, "log")));
  });

  test("sees that codex cannot start its helper in the sandbox of a bwrap older than 0.9", async (t) => {
    if ((await active("codex", t)) === undefined) return;
    await using at = await fencedFolders();
    await oldBubblewrap(at);
    const codex = await program(
      at,
      "codex",
      `PATH=${at.outside}:/usr/bin:/bin exec ${await codexBinary()} "$@"`,
    );
    const sandbox = await findSandbox({
      codex: { binary: codex, home: at.home },
      env: { PATH: `${at.outside}:/usr/bin:/bin` },
      clock: systemClock,
      signal: never,
    });
    const seen = "bwrap: execvp codex-linux-sandbox: Permission denied";
    assert.deepEqual(
      [sandbox.kind, sandbox.why],
      ["bubblewrap", `\`${codex} sandbox\` does not work here: “${seen}”`],
    );
    if (sandbox.kind === "none") return;
    const { stdout } = await runFenced(sandbox, at, "echo in > made; cat made", { hidden: [at.home] });
    assert.equal(stdout, "in\n");
  });

  test("does not trust a program that runs the command but confines nothing", async () => {
    await using at = await fencedFolders();
    await program(at, "bwrap", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    const env = { PATH: `${at.outside}:/usr/bin:/bin` };
    const sandbox = await findSandbox({ env, clock: systemClock, signal: never });
    assert.equal(sandbox.kind, "none");
    assert.match(sandbox.why ?? "", /bwrap lets a program write where it may not$/);
  });

  test("tries a sandbox once for this process", async () => {
    await using at = await fencedFolders();
    const log = join(at.base, "log");
    await program(at, "bwrap", `echo tried >> ${log}; exit 1`);
    const env = { PATH: `${at.outside}:/usr/bin:/bin` };
    const first = await findSandbox({ env, clock: systemClock, signal: never });
    assert.equal(await findSandbox({ env, clock: systemClock, signal: never }), first);
    assert.equal(await readFile(log, "utf8"), "tried\n");
  });

  test("that is stopped rejects, and the next one tries again", async () => {
    await using at = await fencedFolders();
    const codex = { binary: await codexBinary(), home: at.home };
    const options = { codex, env: { PATH: "/usr/bin:/bin" }, clock: systemClock };
    await assert.rejects(findSandbox({ ...options, signal: AbortSignal.abort(new Error("stop")) }), /stop/);
    const found = await findSandbox({ ...options, signal: never });
    assert.ok(found.kind === "codex" || found.why !== "");
  });
});

async function program(at: Folders, name: string, script: string): Promise<string> {
  const path = join(at.outside, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Says of itself what bubblewrap 0.8 says, and is the one that codex brings along. It logs that it was started. */
async function oldBubblewrap(at: Folders): Promise<string> {
  const real = join(await codexBinary(), "../../codex-resources/bwrap");
  const script = `echo "$1" >> ${at.base}/log
[ "$1" != --help ] && exec ${real} "$@"
${real} --help 2>&1 | grep -v -e --argv0 -e -bind-fd`;
  return program(at, "bwrap", script);
}
