import assert from "node:assert/strict";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { type FileHit, hitText, searchFiles } from "./file-search.ts";
import { searchFilesTool } from "./search-files.ts";
import { searchInThread } from "./search-thread.ts";
import { type ToolBench, toolBench } from "../tool-bench.suite.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

const shown = (hit: FileHit): string => hitText(hit, (text) => text);

async function bench(files: Readonly<Record<string, string>>, clock?: ReturnType<typeof fakeClock>) {
  const at = await toolBench([searchFilesTool()], clock);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(at.cwd, path)), { recursive: true });
    await writeFile(join(at.cwd, path), text);
  }
  return at;
}

const found = async (at: ToolBench, args: Record<string, unknown>): Promise<readonly string[]> =>
  (await at.call("search_files", args)).output.split("\n");

describe("search_files in content", () => {
  test("gives path, line and text of what matches, in order, and asks nobody", async () => {
    await using at = await bench({
      "src/b.ts": "const x = 1;\r\nconst y = 2;\n",
      "src/a.ts": "let y;\n",
      "README.md": "nothing\n",
    });
    assert.deepEqual(await found(at, { pattern: "\\by\\b" }), [
      "src/a.ts:1: let y;",
      "src/b.ts:2: const y = 2;",
    ]);
    assert.deepEqual(await found(at, { pattern: "X = 1;$", ignore_case: true }), [
      "src/b.ts:1: const x = 1;",
    ]);
    assert.deepEqual(await found(at, { pattern: "y", path: "src/b.ts" }), ["src/b.ts:2: const y = 2;"]);
    assert.deepEqual(await found(at, { pattern: "y", glob: "a.*" }), ["src/a.ts:1: let y;"]);
    assert.deepEqual(await found(at, { pattern: "y;", path: "src", glob: "src/*.ts" }), [
      "src/a.ts:1: let y;",
    ]);
    assert.deepEqual(await found(at, { pattern: "zebra" }), ["No line matches."]);
    assert.deepEqual(at.asked, []);
  });

  test("takes plain text as such, forgives a needless backslash, and explains what it cannot read", async () => {
    await using at = await bench({ a: 'f("x")\na-b\n', b: "f(\n" });
    assert.deepEqual(await found(at, { pattern: "f(", literal: true }), ['a:1: f("x")', "b:1: f("]);
    assert.deepEqual(await found(at, { pattern: 'f\\(\\"x' }), ['a:1: f("x")']);
    assert.deepEqual(await found(at, { pattern: "a-b", literal: true }), ["a:2: a-b"]);
    const { ok, output } = await at.call("search_files", { pattern: "f(" });
    assert.equal(ok, false);
    assert.match(output, /regular expression.*literal/);
  });

  test("stops at the limit and says that there is more", async () => {
    await using at = await bench({ a: "x\n".repeat(5), b: "x\n" });
    assert.deepEqual(await found(at, { pattern: "x", limit: 2 }), [
      "a:1: x",
      "a:2: x",
      "[Only the first 2 are shown; there are more]",
    ]);
    assert.equal((await found(at, { pattern: "x", limit: 6 })).length, 6);
  });

  test("leaves out what is not to be seen, and says so", async () => {
    await using at = await bench({
      ".env": "KEY=x",
      "blob.bin": "x\0",
      "huge.txt": "x".repeat(5 * 1024 * 1024),
      "long.txt": `${"a".repeat(500)}x${"b".repeat(20_000)}`,
      "node_modules/m/index.js": "x",
      ".git/config": "x",
    });
    const [line, ...notes] = await found(at, { pattern: "x" });
    assert.match(line ?? "", /^long\.txt:1: …a{80}xb+…$/);
    assert.deepEqual(notes, [
      "[Left out: files 1 that hold credentials, 1 that are too large, 1 that are not text]",
      "[Of 1 very long lines only the beginning was searched]",
    ]);
    assert.deepEqual(await found(at, { pattern: "x", path: "node_modules" }), [
      "node_modules/m/index.js:1: x",
    ]);
  });

  test("leaves out what .gitignore files leave out", async () => {
    await using at = await bench({
      ".gitignore": "# build\ndist/\n*.log\n!keep.log\n/top.txt\nsrc/gen\n",
      "dist/a": "x",
      "src/dist/a": "x",
      "src/gen/a": "x",
      "src/.gitignore": "local.*\n",
      "src/local.ts": "x",
      "src/deep/local.ts": "x",
      "local.ts": "x",
      "a.log": "x",
      "src/keep.log": "x",
      "top.txt": "x",
      "src/top.txt": "x",
    });
    const wanted = ["local.ts:1: x", "src/keep.log:1: x", "src/top.txt:1: x"];
    assert.deepEqual(await found(at, { pattern: "^x" }), wanted);
    assert.deepEqual(await found(at, { pattern: "^x", path: "src/deep" }), [
      "No line matches.",
      "[No file was searched]",
    ]);
  });
});

describe("search_files by name", () => {
  test("matches paths, by a regular expression or a glob", async () => {
    await using at = await bench({ "src/a.test.ts": "", "src/a.ts": "", ".env": "", "b+c.md": "" });
    assert.deepEqual(await found(at, { pattern: "a\\.ts$", kind: "name" }), ["src/a.ts"]);
    assert.deepEqual(await found(at, { pattern: "*.test.ts", kind: "name" }), ["src/a.test.ts"]);
    assert.deepEqual(await found(at, { pattern: "src/**", kind: "name" }), ["src/a.test.ts", "src/a.ts"]);
    assert.deepEqual(await found(at, { pattern: "[!s]*.{md,txt}", kind: "name" }), ["b+c.md"]);
    assert.deepEqual(await found(at, { pattern: "env", kind: "name" }), [".env"]);
    assert.deepEqual(await found(at, { pattern: "zebra", kind: "name" }), ["No file matches."]);
  });
});

describe("search_files stays inside:", () => {
  test("a path that leads out is refused, there or not", async () => {
    await using at = await bench({});
    await writeFile(join(at.top, "secret"), "x");
    await symlink("..", join(at.cwd, "up"));
    for (const path of ["..", "../secret", "../nothing", "/", "up", "up/secret"]) {
      const { ok, output } = await at.call("search_files", { pattern: "x", path });
      assert.deepEqual(
        [ok, output],
        [false, `${path} is outside the working folder, and only files inside it can be searched.`],
      );
    }
    assert.match((await found(at, { pattern: "x", path: "nothing" })).join(), /no nothing/);
  });

  test("links are not followed", async () => {
    await using at = await bench({ "in/a": "x" });
    await writeFile(join(at.top, "secret"), "x");
    await symlink(at.top, join(at.cwd, "up"));
    await symlink(join(at.top, "secret"), join(at.cwd, "file"));
    assert.deepEqual(await found(at, { pattern: "x" }), ["in/a:1: x"]);
    assert.deepEqual(await found(at, { pattern: "a|secret", kind: "name" }), ["in/a"]);
  });

  test("neither is a folder that was a link when its turn came", async () => {
    await using at = await bench({ "a/1": "x", "b/1": "x" });
    await mkdir(join(at.top, "private"));
    await writeFile(join(at.top, "private", "1"), "x");
    const seen: string[] = [];
    await rename(join(at.cwd, "b"), join(at.cwd, "b-away"));
    await symlink(join(at.top, "private"), join(at.cwd, "b"));
    // What the walk believes of `b` is what its parent's listing said; here it is told to begin there.
    const search = { root: at.cwd, guarded: [], flags: "u", limit: 9 } as const;
    const ends = [
      searchFiles({ ...search, start: "b/", pattern: "1", kind: "name" }, (hits) =>
        seen.push(...hits.map(shown)),
      ),
      searchFiles({ ...search, start: "b/1", pattern: "x", kind: "content" }, (hits) =>
        seen.push(...hits.map(shown)),
      ),
    ];
    assert.deepEqual(seen, []);
    assert.deepEqual(
      ends.map(({ unreadable }) => unreadable),
      [1, 1],
    );
  });
});

test("a guarded place is passed over, and cannot be searched by its name", async () => {
  await using at = await toolBench([]);
  await mkdir(join(at.cwd, "state"));
  for (const name of ["state/a", "b"]) await writeFile(join(at.cwd, name), "mine\n");
  const guarded = [join(at.cwd, "state")];
  const { signal } = new AbortController();
  const context = {
    session: "" as never,
    turn: "" as never,
    ...ownersTurn,
    cwd: at.cwd,
    clock: systemClock,
    signal,
  };
  const asking = { ask: async () => assert.fail("it asked"), inquire: async () => undefined };
  const search = (args: { pattern: string; path?: string; kind?: "name" }) =>
    searchFilesTool(guarded).run(args, { ...context, ...asking, mask: (text) => text });
  assert.deepEqual(await search({ pattern: "mine" }), { ok: true, output: "b:1: mine" });
  assert.deepEqual(await search({ pattern: ".", kind: "name" }), { ok: true, output: "b" });
  assert.match((await search({ pattern: "mine", path: "state" })).output, /belongs to the settings/);
});

describe("a regular expression that takes for ever", () => {
  const files = { a: "fine aab\n", b: `${"a".repeat(200)}\n`, c: "never reached aab" };
  const pattern = "(a+)+b";

  test("is stopped in time", async () => {
    const clock = fakeClock();
    await using at = await bench(files, clock);
    const result = at.call("search_files", { pattern, path: "b" });
    // One sleep for the call, one for the search.
    for (; clock.pending() < 2; await new Promise((resolve) => setImmediate(resolve)));
    await clock.advance(20_000);
    assert.match(
      (await result).output,
      /^No line matches\.\n\[The search took longer than 20 s and was stopped/,
    );
  });

  test("is stopped although it never comes back, and what was found before has been told", async () => {
    await using at = await bench(files);
    const stop = new AbortController();
    const seen: string[] = [];
    const place = { root: at.cwd, start: "", guarded: [] };
    const search = { ...place, pattern, flags: "u", kind: "content", limit: 9 } as const;
    const note = (hits: readonly FileHit[]): void => {
      seen.push(...hits.map(shown));
      stop.abort(new Error("enough"));
    };
    await assert.rejects(searchInThread(search, note, stop.signal), /enough/);
    assert.deepEqual(seen, ["a:1: fine aab"]);
  });

  test("ends with Stop", async () => {
    await using at = await bench(files);
    const stop = new AbortController();
    const result = at.call("search_files", { pattern }, stop.signal);
    stop.abort();
    assert.deepEqual(await result, { ok: false, output: "interrupted" });
  });
});
