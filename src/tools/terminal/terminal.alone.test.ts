import assert from "node:assert/strict";
import { readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { leftBehind, kinds, terminalWorld } from "./terminal-world.suite.ts";

after(async () => assert.deepEqual(await leftBehind(), [], "no process is left"));

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const exists = async (path: string): Promise<void> => {
  while (
    !(await readFile(path).then(
      () => true,
      () => false,
    ))
  )
    await tick();
};

for (const kind of kinds) {
  describe(`terminal, with the fence ${kind}`, { concurrency: 3 }, () => {
    test("tells output and errors in the order they were written, and the exit code", async (t) => {
      await using world = await terminalWorld(kind);
      if (world.missing !== undefined) return t.skip(world.missing);
      const result = await world.run({ command: "echo a; echo b >&2; cat; echo c; pwd; exit 3" });
      assert.deepEqual(result, { ok: false, output: `a\nb\nc\n${world.at.folder}\n`, exitCode: 3 });
      assert.deepEqual(await world.run({ command: "true" }), {
        ok: true,
        output: "[no output]",
        exitCode: 0,
      });
      assert.equal((await world.run({ command: "kill -9 $$" })).exitCode, 137);
    });

    test("lets a command see nothing of our environment that could be a key, nor what the person's shell sets", async (t) => {
      const secrets = {
        OPENAI_API_KEY: "canary",
        GITHUB_TOKEN: "canary",
        HTTPS_PROXY: "http://u:canary@proxy",
      };
      await using world = await terminalWorld(kind, {
        env: { PATH: "/usr/bin:/bin", LC_ALL: "C", ...secrets },
      });
      if (world.missing !== undefined) return t.skip(world.missing);
      const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", HOME: world.at.home, ...secrets };
      await using shell = await terminalWorld(kind, { env });
      await writeFile(join(world.at.home, ".bashrc"), "export MINE=canary");
      for (const { output } of [
        await world.run({ command: "env" }),
        await shell.run({ command: "env; bash -c env" }),
        await shell.run({ command: "bash -c env", background: true }),
      ]) {
        assert.doesNotMatch(output, /canary/);
        assert.doesNotMatch(output, /CODEX_HOME/);
      }
    });

    test("that is stopped ends all that was started, also what left the group and its parent", async (t) => {
      await using world = await terminalWorld(kind);
      if (world.missing !== undefined) return t.skip(world.missing);
      const stop = new AbortController();
      const command = "(setsid sh -c 'setsid sleep 611 & sleep 612' &); touch ready; sleep 613";
      const call = world.box.call("terminal", { command }, stop.signal);
      await exists(join(world.at.folder, "ready"));
      assert.equal(world.registered.size, 1);
      stop.abort(new Error("stopped"));
      assert.deepEqual(await call, { ok: false, output: "interrupted" });
      await world.close();
      assert.deepEqual(await leftBehind(/sleep 61[123]/), []);
      assert.equal(world.registered.size, 0);
    });

    test("leaves nothing running when a command is over, but what it runs in the background", async (t) => {
      await using world = await terminalWorld(kind);
      if (world.missing !== undefined) return t.skip(world.missing);
      const here = await world.run({ command: "sleep 621 & echo over" });
      assert.deepEqual(here, { ok: true, output: "over\n", exitCode: 0 });
      const beside = await world.run({ command: "cat", background: true });
      assert.match(beside.output, /^Runs in the background as p1\./);
      assert.equal(
        (await world.tell({ action: "input", id: "p1", text: "hello\n" })).output,
        "Written to p1.",
      );
      let output = "";
      while (!output.includes("hello")) output += (await world.tell({ action: "poll", id: "p1" })).output;
      assert.match(output, /^\[p1 has been running for \d+ s\]/);
      assert.match((await world.tell({ action: "list" })).output, /^\[p1 has been running for \d+ s\] cat$/);
      assert.equal((await world.tell({ action: "input", id: "p1" })).output, "The input of p1 is closed.");
      const end = await world.tell({ action: "poll", id: "p1", wait_s: 60 });
      assert.equal(end.output, "[p1 ended, exit 0]");
      assert.equal((await world.tell({ action: "list" })).output, "No background process in this session.");
    });
  });
}

for (const kind of ["codex", "bubblewrap"] as const) {
  describe(`terminal, fenced by ${kind}`, { concurrency: 3 }, () => {
    test("writes in the session's folder, wherever it is started", async (t) => {
      await using world = await terminalWorld(kind);
      if (world.missing !== undefined) return t.skip(world.missing);
      const command = `echo in > ${world.at.folder}/made; echo out > made && echo escaped; pwd`;
      const { output } = await world.run({ command, cwd: world.at.outside });
      assert.doesNotMatch(output, /escaped/);
      assert.deepEqual(await readdir(world.at.folder), ["made"]);
      assert.deepEqual(await readdir(world.at.outside), []);
    });

    test("writes nothing when every change needs approval, and everything outside the fence", async (t) => {
      await using world = await terminalWorld(kind, { securityMode: "approval-required" });
      if (world.missing !== undefined) return t.skip(world.missing);
      const fenced = await world.run({ command: "echo in > made" });
      assert.equal(fenced.ok, false);
      assert.match(fenced.output, /Read-only file system/);
      const escaped = await world.run({ command: `echo out > ${world.at.outside}/made`, escalate: true });
      assert.equal(escaped.ok, true);
      assert.deepEqual(await readdir(world.at.outside), ["made"]);
    });

    test("finds again what an earlier command put in the folder for temporary files, until all is closed", async (t) => {
      await using world = await terminalWorld(kind);
      if (world.missing !== undefined) return t.skip(world.missing);
      await world.run({ command: "echo kept > $TMPDIR/note" });
      const { output } = await world.run({ command: "cat $TMPDIR/note; echo $TMPDIR" });
      assert.match(output, /^kept\n/);
      const other = await world.run({ command: "cat $TMPDIR/note" }, { session: "ses_2" as never });
      assert.equal(other.ok, false);
      const folder = output.split("\n")[1] ?? "";
      await world.close();
      if (folder !== "/tmp") await assert.rejects(readdir(folder));
    });

    test("hides what it is told to hide, and asks as one that is fenced", async (t) => {
      await using first = await terminalWorld(kind);
      if (first.missing !== undefined) return t.skip(first.missing);
      const secret = join(first.at.folder, "auth.json");
      await writeFile(secret, "canary");
      await using world = await terminalWorld(kind, { hidden: [secret] });
      assert.doesNotMatch((await world.run({ command: `cat ${secret}` })).output, /canary/);
      const asked = await world.asks({ command: "ls", reason: "to look" });
      assert.ok(!("refused" in asked));
      const { run, ...about } = asked;
      assert.deepEqual(about, {
        effect: "local",
        action: { kind: "command", command: "ls", fence: "sandbox" },
        summary: "ls",
        cwd: world.at.folder,
        reason: "to look",
        args: { command: "ls" },
      });
      assert.equal((await run!(world.context)).ok, true);
    });
  });
}

const about = async (world: Awaited<ReturnType<typeof terminalWorld>>, args: object) => {
  const asked = await world.asks({ command: "ls", ...args });
  if ("refused" in asked) return asked.refused;
  assert.ok(asked.action.kind === "command");
  return [asked.action.fence, asked.reason];
};

describe("what terminal asks", () => {
  test("says why it would run without a fence", async (t) => {
    await using none = await terminalWorld("none");
    assert.deepEqual(await about(none, { reason: "to look" }), [
      "none",
      "to look\nThere is no sandbox to run it in: this is a test without one.",
    ]);
    await using open = await terminalWorld("codex", { securityMode: "unrestricted" });
    assert.deepEqual(await about(open, {}), [
      "none",
      "It runs without a sandbox, because terminal.security_mode is unrestricted.",
    ]);
    await using fenced = await terminalWorld("codex");
    if (fenced.missing !== undefined) return t.skip(fenced.missing);
    assert.deepEqual(await about(fenced, { escalate: true }), ["none", "It would run outside the sandbox."]);
    assert.deepEqual(await about(fenced, {}), ["sandbox", undefined]);
  });

  test("is refused for a folder that does not exist, is a file, or leads out of the working folder", async () => {
    await using world = await terminalWorld("none");
    await writeFile(join(world.at.folder, "file"), "");
    await symlink(world.at.outside, join(world.at.folder, "link"));
    assert.match(String(await about(world, { cwd: "missing" })), /^missing is not a folder/);
    assert.match(String(await about(world, { cwd: "file" })), /^file is not a folder/);
    assert.match(String(await about(world, { cwd: "../outside" })), /leads out of the working folder/);
    assert.match(String(await about(world, { cwd: "link" })), /leads out of the working folder/);
    assert.ok(Array.isArray(await about(world, { cwd: world.at.outside })));
  });

  test("is what runs afterwards, even if the folder it named has become another one", async () => {
    await using world = await terminalWorld("none");
    const link = join(world.at.base, "link");
    await symlink(world.at.folder, link);
    const asked = await world.asks({ command: "pwd", cwd: link });
    assert.ok(!("refused" in asked) && asked.run !== undefined);
    await rm(link);
    await symlink(world.at.outside, link);
    assert.equal((await asked.run(world.context)).output, `${world.at.folder}\n`);
  });
});

describe("the limits of terminal", () => {
  test("a command that runs while all is closed is ended", { timeout: 30_000 }, async () => {
    await using world = await terminalWorld("none");
    const call = world.run({ command: "touch ready; sleep 691" });
    await exists(join(world.at.folder, "ready"));
    await world.close();
    assert.equal((await call).ok, false);
    assert.equal(world.registered.size, 0);
  });

  test("a command that does not end in its time is ended, and what it wrote is told", async () => {
    const clock = fakeClock();
    await using world = await terminalWorld("none", { clock });
    const call = world.run({ command: "echo begun; sleep 631 & touch ready; sleep 632", timeout_s: 7 });
    const state = { over: false };
    void call.finally(() => (state.over = true));
    await exists(join(world.at.folder, "ready"));
    await clock.advance(6_999);
    assert.equal(state.over, false);
    while (!state.over) await clock.advance(20);
    assert.deepEqual(await call, {
      ok: false,
      output: "begun\n[it did not end within 7 s, so it was ended with everything it had started]",
    });
    assert.deepEqual(await leftBehind(/sleep 63[12]/), []);
  });

  test("long output keeps its beginning and its end", async () => {
    await using world = await terminalWorld("none");
    const { output } = await world.run({ command: "echo first; seq 1 2000000; echo last" });
    assert.match(output, /^first\n1\n2\n/);
    assert.match(output, /\n\[\d{7,} characters left out\]\n/);
    assert.match(output, /\n2000000\nlast\n$/);
    assert.ok(output.length < 37_000);
  });

  test("a program that the fence cannot start says what the fence said", async () => {
    const broken = {
      kind: "bubblewrap" as const,
      program: "/bin/sh",
      gaps: [],
      wrap: async () => ({ command: "/bin/sh", args: ["-c", "echo 'no namespace' >&2; exit 1"], env: {} }),
    };
    await using world = await terminalWorld("none", { sandbox: async () => broken });
    const result = await world.run({ command: "ls" });
    assert.deepEqual(result, { ok: false, output: "[the sandbox said: no namespace]", exitCode: 1 });
  });
});
