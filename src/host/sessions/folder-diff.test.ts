import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Diff } from "../../core/host.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { folderDiff } from "./diff.ts";
import { testFolder } from "../../../test/temp-folder.ts";

const { signal } = new AbortController();
const mask = (text: string): string => text.replaceAll("hunter2", "[redacted]");

test("shows what was changed, staged, removed and added since the last commit, from any folder of it", async (t) => {
  const it = await repository(t);
  await it.write("kept.txt", "one\ntwo\n");
  await it.write("gone.txt", "bye\n");
  await it.write("same.txt", "same\n");
  await it.commit();
  await utimes(join(it.path, "same.txt"), 1, 1); // git would note down that it is still the same
  await it.write("kept.txt", "one\n2\n");
  await rm(join(it.path, "gone.txt"));
  await it.write("staged.txt", "staged\n");
  await it.git("add", "staged.txt");
  await it.write("sub/new file.txt", "hello\n");
  await it.write(".gitignore", "ignored\n");
  await it.write("ignored", "x\n");
  const index = await readFile(join(it.path, ".git/index"));
  const { text, note } = await it.diff("sub");
  assert.match(text, /^--- a\/kept\.txt\n\+\+\+ b\/kept\.txt\n@@ .* @@\n one\n-two\n\+2\n/m);
  assert.match(text, /^--- a\/gone\.txt\n\+\+\+ \/dev\/null\n/m);
  assert.match(text, /^\+\+\+ b\/staged\.txt\n@@ .* @@\n\+staged$/m);
  assert.match(text, /^--- \/dev\/null\n\+\+\+ b\/sub\/new file\.txt\n@@ -0,0 \+1,1 @@\n\+hello$/m);
  assert.doesNotMatch(text, /b\/ignored|same/);
  assert.equal(note, undefined);
  assert.deepEqual(await readFile(join(it.path, ".git/index")), index, "looking changes nothing");
});

test("is masked whole, in files that git knows and in new ones", async (t) => {
  const it = await repository(t);
  await it.write("known.txt", "one\n");
  await it.commit();
  await it.write("known.txt", "key = hunter2\n");
  await it.write("new.txt", "also hunter2\n");
  const { text } = await folderDiff(it.path, process.env, systemClock, signal, mask);
  assert.doesNotMatch(text, /hunter2/);
  assert.equal(text.split("[redacted]").length, 3);
});

test("before the first commit everything is new", async (t) => {
  const it = await repository(t);
  await it.write("staged.txt", "a\n");
  await it.git("add", ".");
  await it.write("other.txt", "b\n");
  const { text } = await it.diff();
  assert.match(text, /^\+\+\+ b\/staged\.txt\n@@ .* @@\n\+a$/m);
  assert.match(text, /^\+\+\+ b\/other\.txt\n@@ .* @@\n\+b$/m);
});

test("no program that the repository names is run", async (t) => {
  const it = await repository(t);
  const trap = join(it.path, "..", "sprung");
  const program = join(it.path, "..", "trap.sh");
  await writeFile(program, `#!/bin/sh\necho "$0 $@" >> ${trap}\ncat\n`);
  await chmod(program, 0o755);
  await it.write(".gitattributes", "*.txt filter=evil diff=evil\n*.dat filter=e.v-il\n");
  await it.write("a.txt", "one\n");
  await it.write("a.dat", "one\n");
  await it.commit();
  await mkdir(join(it.path, "hooks"));
  for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"])
    await writeFile(join(it.path, "hooks", hook), await readFile(program), { mode: 0o755 });
  const settings = {
    "filter.evil.clean": program,
    "filter.evil.smudge": program,
    "filter.evil.process": program,
    "filter.evil.required": "true",
    "filter.e.v-il.clean": program,
    "diff.evil.textconv": program,
    "diff.evil.command": program,
    "diff.external": program,
    "core.fsmonitor": program,
    "core.hooksPath": join(it.path, "hooks"),
    "core.pager": program,
    "core.sshCommand": program,
    "pager.diff": program,
  };
  for (const [name, value] of Object.entries(settings)) await it.git("config", name, value);
  await it.write("a.txt", "two\n");
  await it.write("a.dat", "two\n");
  await it.write("new.txt", "new\n");
  await it.git("diff", "HEAD").catch(() => {});
  assert.ok(existsSync(trap), "plain git runs them: the trap works");
  await rm(trap);
  const { text, note } = await it.diff(".", { GIT_EXTERNAL_DIFF: program });
  assert.equal(existsSync(trap), false, "nothing was run");
  assert.match(text, /^-one\n\+two$/m);
  assert.match(text, /^\+\+\+ b\/a\.dat$/m);
  assert.match(text, /^\+new$/m);
  assert.equal(note, undefined);
});

test("neither a submodule nor its settings are looked into", async (t) => {
  const it = await repository(t);
  const inner = await repository(t);
  const trap = join(it.path, "..", "sprung");
  await inner.write(".gitattributes", "* filter=evil\n");
  await inner.write("a.txt", "one\n");
  await inner.commit();
  await it.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "inner");
  await it.commit();
  await it.git("-C", "inner", "config", "filter.evil.clean", `sh -c 'echo x > ${trap}; cat'`);
  await it.write("inner/a.txt", "two\n");
  await it.git("diff", "HEAD");
  assert.ok(existsSync(trap), "plain git runs it: the trap works");
  await rm(trap);
  assert.deepEqual(await it.diff(), { text: "" });
  assert.equal(existsSync(trap), false);
});

test("a filter whose name cannot be written down is a reason to show nothing", async (t) => {
  const it = await repository(t);
  const config = join(it.path, ".git/config");
  await writeFile(config, `${await readFile(config, "utf8")}[filter "a=b"]\n\tclean = false\n`);
  assert.match((await it.diff()).note ?? "", /a filter that cannot be switched off: filter\.a=b/);
});

test("new files that are large, no text, links or too many are named instead", async (t) => {
  const it = await repository(t);
  await it.write("big.txt", "x".repeat(64 * 1024));
  await it.write("binary", "a\0b");
  await symlink("/etc/passwd", join(it.path, "link"));
  await it.write("small.txt", "s\n");
  const { text, note } = await it.diff();
  assert.match(text, /^\+\+\+ b\/small\.txt$/m);
  assert.doesNotMatch(text, /root|binary|xxx/);
  assert.match(note ?? "", /not shown .*: "big\.txt", "binary", "link"\.$/);
  for (let at = 0; at < 60; at++) await it.write(`many/${at}`, "m\n");
  assert.match((await it.diff()).note ?? "", / and \d+ more\.$/);
});

test("more than a MiB is cut, and that is told", async (t) => {
  const it = await repository(t);
  await it.write("big.txt", "");
  await it.commit();
  await it.write("big.txt", "line\n".repeat(400_000));
  const { text, note } = await it.diff();
  assert.ok(text.length <= 1024 * 1024);
  assert.match(note ?? "", /first MiB/);
});

test("colours, prefixes and languages of the person do not change it", async (t) => {
  const it = await repository(t);
  await it.write("a", "1\n");
  await it.commit();
  for (const [name, value] of [
    ["color.ui", "always"],
    ["diff.noprefix", "true"],
    ["diff.mnemonicPrefix", "true"],
  ] as const)
    await it.git("config", name, value);
  await it.write("a", "2\n");
  assert.match((await it.diff()).text, /^--- a\/a\n\+\+\+ b\/a\n/m);
});

test("without a repository, or without git, it says so and what else there is", async (t) => {
  const path = await folder(t);
  const outside: Diff = await folderDiff(path, { PATH: process.env["PATH"] }, systemClock, signal);
  assert.deepEqual(outside, {
    text: "",
    note: `${path} is not in a git repository. \`/diff session\` shows what the calls of this session changed.`,
  });
  const gitless = await folderDiff(path, { PATH: "/nowhere" }, systemClock, signal);
  assert.match(gitless.note ?? "", /^Git is not installed here\. `\/diff session`/);
  const nowhere = join(path, "gone");
  assert.match(
    (await folderDiff(nowhere, { PATH: process.env["PATH"] }, systemClock, signal)).note ?? "",
    /not a folder/,
  );
});

async function folder(t: TestContext): Promise<string> {
  const path = await testFolder(t);
  return path;
}

async function repository(t: TestContext) {
  const home = await folder(t);
  const path = join(home, "work");
  await mkdir(path);
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, GIT_CEILING_DIRECTORIES: home };
  const git = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runCommand({
      command: "git",
      args,
      cwd: path,
      env,
      signal,
      clock: systemClock,
    });
    assert.equal(code, 0, stderr);
  };
  await git("init", "--quiet");
  await git("config", "user.name", "A");
  await git("config", "user.email", "a@example.org");
  return {
    path,
    git,
    async write(name: string, text: string): Promise<void> {
      await mkdir(join(path, name, ".."), { recursive: true });
      await writeFile(join(path, name), text);
    },
    async commit(): Promise<void> {
      await git("add", ".");
      await git("commit", "--quiet", "-m", "x");
    },
    diff: (inside = ".", more = {}) =>
      folderDiff(join(path, inside), { ...env, ...more }, systemClock, signal),
  };
}
