import assert from "node:assert/strict";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { systemClock } from "../../../lib/clock.ts";
import { runCommand } from "../../../lib/process/command.ts";
import { fileList } from "./file-list.ts";

const signal = new AbortController().signal;
const env = process.env;

describe("file list", () => {
  test("in a work tree: what git tracks or could track, folders too, the shallow ones first", async () => {
    await using it = await folder({ git: true });
    await it.write("b.ts", "src/deep/a.ts", "ignored/x.ts", "src/new file.ts", 'src/a "b".ts');
    await it.write.text(".gitignore", "ignored/\n");
    await it.git("add", "b.ts");
    assert.deepEqual(await fileList(it.path, env, systemClock).list(signal), [
      ".gitignore",
      "b.ts",
      "src/",
      "src/deep/",
      "src/new file.ts",
      "src/deep/a.ts",
    ]);
  });

  test("below the top of a work tree, paths are relative to the working folder", async () => {
    await using it = await folder({ git: true });
    await it.write("top.ts", "src/a.ts");
    assert.deepEqual(await fileList(join(it.path, "src"), env, systemClock).list(signal), ["a.ts"]);
  });

  test("the programs that a repository names are not run", async () => {
    await using it = await folder({ git: true });
    await it.write("a.ts");
    await it.write.text("spy", "#!/bin/sh\n: > ran\n");
    await chmod(join(it.path, "spy"), 0o755);
    await it.git("config", "core.fsmonitor", join(it.path, "spy"));
    await it.git("-c", "core.fsmonitor=false", "add", "a.ts");
    const files = await fileList(it.path, env, systemClock).list(signal);
    assert.deepEqual(files, ["a.ts", "spy"]);
    await it.git("ls-files", "-o");
    assert.ok((await fileList(it.path, env, systemClock).list(signal)).includes("ran"), "it would have run");
  });

  test("elsewhere: a walk without dot-folders, node_modules and linked folders", async () => {
    await using it = await folder();
    await it.write("a.ts", ".env", ".cache/x", "node_modules/y/z", "sub/b.ts", "outside/c.ts");
    await symlink(join(it.path, "outside"), join(it.path, "sub", "link"));
    await symlink(it.path, join(it.path, "sub", "round"));
    assert.deepEqual(await fileList(it.path, env, systemClock).list(signal), [
      ".env",
      "a.ts",
      "outside/",
      "sub/",
      "outside/c.ts",
      "sub/b.ts",
      "sub/link",
      "sub/round",
    ]);
  });

  test("without git on the PATH it walks", async () => {
    await using it = await folder({ git: true });
    await it.write("a.ts");
    assert.deepEqual(await fileList(it.path, { PATH: "/nowhere" }, systemClock).list(signal), ["a.ts"]);
  });

  test("where git fails half-way it walks", async () => {
    await using it = await folder();
    await it.write.text("git", "#!/bin/sh\nprintf 'gone.ts\\0'\nexit 128\n");
    await chmod(join(it.path, "git"), 0o755);
    assert.deepEqual(await fileList(it.path, { PATH: it.path }, systemClock).list(signal), ["git"]);
  });

  test("it goes no deeper than twelve folders", async () => {
    await using it = await folder();
    const deep = Array.from({ length: 14 }, (_, at) => `d${at}`).join("/");
    await it.write(`${deep}/x.ts`);
    const files = await fileList(it.path, env, systemClock).list(signal);
    assert.equal(files.length, 12);
  });

  test("names that would steer the terminal, or cannot be written, are left out", async () => {
    await using it = await folder();
    await it.write("good.ts", "a\u001B[2J.ts", "new\nline.ts", 'both "and space".ts');
    assert.deepEqual(await fileList(it.path, env, systemClock).list(signal), ["good.ts"]);
  });

  test("a folder that does not exist has no files", async () => {
    assert.deepEqual(await fileList("/no/such/folder", env, systemClock).list(signal), []);
  });

  test("the answer is kept for five seconds, and looked up anew after that", async () => {
    await using it = await folder();
    await it.write("a.ts");
    const clock = fakeClock();
    const files = fileList(it.path, { PATH: "/nowhere" }, clock);
    assert.deepEqual(await files.list(signal), ["a.ts"]);
    await it.write("b.ts");
    await clock.advance(4_999);
    assert.deepEqual(await files.list(signal), ["a.ts"]);
    await clock.advance(1);
    assert.deepEqual(await files.list(signal), ["a.ts", "b.ts"]);
  });

  test("whoever gives up does not end it for the next one, and git runs once", async () => {
    await using it = await folder();
    await it.write.text(
      "bin/git",
      `#!/bin/sh\ncase $* in *ls-files*) echo run >> ${it.path}/runs; printf 'a.ts\\0' ;; esac\n`,
    );
    await chmod(join(it.path, "bin/git"), 0o755);
    const PATH = [join(it.path, "bin"), env["PATH"]].join(delimiter);
    const files = fileList(it.path, { ...env, PATH }, systemClock);
    const first = new AbortController();
    const given = files.list(first.signal);
    first.abort(new Error("typed on"));
    await assert.rejects(given, /typed on/);
    assert.deepEqual(await files.list(signal), ["a.ts"]);
    await assert.rejects(files.list(first.signal), /typed on/);
    assert.equal(await readFile(join(it.path, "runs"), "utf8"), "run\n");
  });
});

async function folder({ git = false } = {}) {
  const temp = await tempFolder();
  const { path } = temp;
  const text = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  };
  const run = async (...args: readonly string[]): Promise<void> => {
    const given = { PATH: env["PATH"] ?? "", HOME: path };
    const done = await runCommand({
      command: "git",
      args,
      cwd: path,
      env: given,
      clock: systemClock,
      signal,
    });
    assert.equal(done.code, 0, done.stderr);
  };
  if (git) await run("init", "--quiet");
  return {
    path,
    git: run,
    write: Object.assign(
      async (...names: readonly string[]) => {
        for (const name of names) await text(name, "");
      },
      { text },
    ),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}
