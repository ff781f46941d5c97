import assert from "node:assert/strict";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { toolBench } from "../tool-bench.suite.ts";
import { writeFileTool } from "./write-file.ts";

const bench = () => toolBench([writeFileTool]);

describe("write_file", () => {
  test("asks with the real path and the diff, then creates the file and the folders on the way", async () => {
    await using at = await bench();
    const args = { path: "src/deep/a.ts", content: "one\ntwo\n" };
    const diff = "--- /dev/null\n+++ src/deep/a.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    assert.deepEqual(await at.call("write_file", args), {
      ok: true,
      output: "Created src/deep/a.ts (new, 2 lines).",
      diff,
    });
    const path = join(at.cwd, "src/deep/a.ts");
    assert.deepEqual(at.asked, [
      {
        tool: "write_file",
        args,
        cwd: at.cwd,
        effect: "local",
        summary: "write_file src/deep/a.ts (new, 2 lines)",
        action: { kind: "change", changes: [{ path, kind: "add", diff }] },
      },
    ]);
    assert.equal(await readFile(path, "utf8"), "one\ntwo\n");
    assert.deepEqual(await readdir(join(at.cwd, "src/deep")), ["a.ts"]);
  });

  test("replaces a file whole, keeps its mode, and leaves its other names alone", async () => {
    await using at = await bench();
    const [path, other] = [join(at.cwd, "run.sh"), join(at.top, "other")];
    await writeFile(path, "old\nsame\n");
    await chmod(path, 0o750);
    await link(path, other);
    const { ok, diff } = await at.call("write_file", { path: "run.sh", content: "new\nsame\n" });
    assert.equal(ok, true);
    assert.equal(diff, "--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n");
    assert.equal((await stat(path)).mode & 0o777, 0o750);
    assert.equal(await readFile(other, "utf8"), "old\nsame\n");
    assert.deepEqual(await readdir(at.cwd), ["run.sh"]);
  });

  test("does nothing, and leaves nothing behind, when it is not allowed", async () => {
    await using at = await bench();
    at.decision = { choice: "deny", why: "not_asked", reason: "not asked: no one was there to ask" };
    assert.deepEqual(await at.call("write_file", { path: "new/a", content: "x" }), {
      ok: false,
      output: "write_file was not run: not asked: no one was there to ask.",
    });
    assert.deepEqual(await readdir(at.cwd), []);
  });

  test("writes outside the folder only after a question that shows where", async () => {
    await using at = await bench();
    await mkdir(join(at.top, "private"));
    await symlink(join(at.top, "private"), join(at.cwd, "docs"));
    await symlink(join(at.top, "private", "not-yet"), join(at.cwd, "dangling"));
    const wanted = { "docs/a": "private/a", dangling: "private/not-yet", "../b": "b", "docs/../c": "repo/c" };
    for (const [path, real] of Object.entries(wanted)) {
      assert.equal((await at.call("write_file", { path, content: path })).ok, true, path);
      const question = at.asked.at(-1);
      assert.ok(question?.action.kind === "change");
      assert.equal(question.action.changes?.[0]?.path, join(at.top, real));
      assert.equal(question.reason !== undefined, real !== "repo/c");
      assert.equal(await readFile(join(at.top, real), "utf8"), path);
    }
    assert.ok((await lstat(join(at.cwd, "dangling"))).isSymbolicLink());
  });

  test("does not ask about what it would never write", async () => {
    await using at = await bench();
    await mkdir(join(at.cwd, "folder"));
    await writeFile(join(at.cwd, "file"), "same");
    await symlink("circle", join(at.cwd, "circle"));
    await using server = createServer().listen(join(at.cwd, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    const reasons: readonly (readonly [string, RegExp])[] = [
      ["folder", /folder is a folder/],
      ["new/", /names a folder/],
      [".", /is a folder/],
      ["socket", /a pipe, a socket or a device/],
      ["file/below", /not a folder/],
      ["circle", /leads in a circle/],
      [".env", /holds credentials/],
      ["../.ssh/authorized_keys", /holds credentials/],
      ["~/notes.md", /home folder/],
      ["a\0b", /no file name can have/],
      ["a\ud800b", /no file name can have/],
      ["x".repeat(5000), /too long/],
      ["x".repeat(300), /too long/],
      ["file", /holds exactly this text already/],
    ];
    for (const [path, reason] of reasons) {
      const { ok, output } = await at.call("write_file", { path, content: "same" });
      assert.equal(ok, false);
      assert.match(output, reason);
    }
    assert.equal(
      (await at.call("write_file", { path: "big", content: "é".repeat(1024 * 1024 + 1) })).ok,
      false,
    );
    assert.equal((await at.call("write_file", { path: "half", content: "\ud800" })).ok, false);
    assert.deepEqual(at.asked, []);
    assert.deepEqual((await readdir(at.cwd)).toSorted(), ["circle", "file", "folder", "socket"]);
  });

  test("tells nothing about a file outside before somebody allows it", async () => {
    await using at = await bench();
    at.decision = { choice: "deny", why: "not_asked" };
    await mkdir(join(at.top, "there"));
    const answers = new Set<string>();
    for (const path of ["../there", "../not-there"]) {
      answers.add((await at.call("write_file", { path, content: "x" })).output);
    }
    assert.equal(answers.size, 1);
    assert.equal(at.asked.length, 2);
    at.decision = { choice: "once", why: "person" };
    assert.match((await at.call("write_file", { path: "../there", content: "x" })).output, /is a folder/);
  });

  test("shows what replaces a file that is not text", async () => {
    await using at = await bench();
    await writeFile(join(at.cwd, "blob"), Buffer.from([0, 1, 2, 255]));
    const { diff } = await at.call("write_file", { path: "blob", content: "text\n" });
    assert.equal(
      diff,
      "--- blob\n+++ blob\n[4 bytes that cannot be shown as text are replaced]\n@@ -0,0 +1,1 @@\n+text\n",
    );
  });

  test("says so when it may not write", async () => {
    await using at = await bench();
    await writeFile(join(at.cwd, "protected"), "old", { mode: 0o444 });
    await mkdir(join(at.cwd, "closed"), { mode: 0o555 });
    for (const folder of [at.top, at.cwd]) await chmod(folder, 0o777);
    // Nothing is protected from root, so the child is nobody once it has loaded what it needs.
    const script = `
      import { toolBox } from ${JSON.stringify(import.meta.resolve("../registry.ts"))};
      import { writeFileTool } from ${JSON.stringify(import.meta.resolve("./write-file.ts"))};
      import { systemClock as clock } from ${JSON.stringify(import.meta.resolve("../../lib/clock.ts"))};
      if (process.getuid() === 0) process.setuid(65534);
      const ask = async () => ({ choice: "once", why: "person" });
      const box = toolBox([writeFileTool], { session: "s", turn: "t", cwd: process.cwd(), clock, ask });
      for (const path of ["protected", "closed/new"])
        console.log((await box.call("write_file", { path, content: "x" }, new AbortController().signal)).output);
    `;
    const { stdout, stderr } = await runCommand({
      command: process.execPath,
      args: ["--input-type=module", "-e", script],
      cwd: at.cwd,
      env: {},
      signal: new AbortController().signal,
      clock: systemClock,
    });
    assert.match(stdout, /^.*write-protected.*\n.*write-protected.*\n$/, stderr);
  });
});

const refusedBecause = async (
  at: Awaited<ReturnType<typeof bench>>,
  path: string,
  reason: RegExp,
): Promise<void> => {
  const { ok, output, diff } = await at.call("write_file", { path, content: "new" });
  assert.deepEqual([ok, diff], [false, undefined]);
  assert.match(output, reason);
};

describe("what changes while the question is open is not written over:", () => {
  test("a file that somebody wrote to", async () => {
    await using at = await bench();
    await writeFile(join(at.cwd, "a"), "old");
    at.onAsk = () => writeFile(join(at.cwd, "a"), "mine");
    await refusedBecause(at, "a", /was changed after/);
    assert.equal(await readFile(join(at.cwd, "a"), "utf8"), "mine");
    assert.deepEqual(await readdir(at.cwd), ["a"]);
  });

  test("a file that somebody made where none was", async () => {
    await using at = await bench();
    at.onAsk = async () => {
      await mkdir(join(at.cwd, "sub"));
      await writeFile(join(at.cwd, "sub/a"), "mine");
    };
    await refusedBecause(at, "sub/a", /was changed after/);
    assert.equal(await readFile(join(at.cwd, "sub/a"), "utf8"), "mine");
  });

  test("a file that became a link", async () => {
    await using at = await bench();
    await writeFile(join(at.top, "victim"), "old");
    await writeFile(join(at.cwd, "a"), "old");
    at.onAsk = async () => {
      await rm(join(at.cwd, "a"));
      await symlink(join(at.top, "victim"), join(at.cwd, "a"));
    };
    await refusedBecause(at, "a", /leads elsewhere/);
    assert.equal(await readFile(join(at.top, "victim"), "utf8"), "old");
  });

  test("a folder that became a link", async () => {
    await using at = await bench();
    await mkdir(join(at.top, "private"));
    await mkdir(join(at.cwd, "docs"));
    at.onAsk = async () => {
      await rename(join(at.cwd, "docs"), join(at.cwd, "docs-away"));
      await symlink(join(at.top, "private"), join(at.cwd, "docs"));
    };
    await refusedBecause(at, "docs/sub/a", /leads elsewhere/);
    assert.deepEqual(await readdir(join(at.top, "private")), []);
    assert.deepEqual(await readdir(join(at.cwd, "docs-away")), []);
  });

  test("a missing folder that came as a link", async () => {
    await using at = await bench();
    await mkdir(join(at.top, "private"));
    at.onAsk = () => symlink(join(at.top, "private"), join(at.cwd, "new"));
    await refusedBecause(at, "new/a", /leads elsewhere/);
    assert.deepEqual(await readdir(join(at.top, "private")), []);
  });
});

test("two writes of one file at once are done one after the other", async () => {
  await using at = await bench();
  const [first, second] = await Promise.all([
    at.call("write_file", { path: "a", content: "1\n" }),
    at.call("write_file", { path: "a", content: "2\n" }),
  ]);
  assert.equal(first.diff, "--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+1\n");
  assert.equal(second.diff, "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-1\n+2\n");
});

test("Stop while the question is open writes nothing", async () => {
  await using at = await bench();
  const stop = new AbortController();
  at.onAsk = () => stop.abort();
  const result = await at.call("write_file", { path: "a", content: "1\n" }, stop.signal);
  assert.deepEqual(result, { ok: false, output: "interrupted" });
  assert.deepEqual(await readdir(at.cwd), []);
});
