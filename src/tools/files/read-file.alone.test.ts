import assert from "node:assert/strict";
import { appendFileSync, statSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newFolder } from "../../../test/temp-folder.ts";
import { asId } from "../../core/ids.ts";
import { systemClock } from "../../lib/clock.ts";
import { readFileTool } from "./read-file.ts";
import { toolBox } from "../registry.ts";
import type { ToolContext, TurnContext } from "../tool.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

let top = "";
let cwd = "";
before(async () => {
  top = await newFolder();
  cwd = join(top, "repo");
  await mkdir(join(cwd, "src"), { recursive: true });
  await writeFile(join(top, "secret.txt"), "outside");
  await writeFile(join(cwd, "poem.txt"), "roses\r\nviolets\n\nsugar");
  await writeFile(join(cwd, "src", "a.ts"), "export {};\n");
});
after(() => rm(top, { recursive: true }));

const boxContext = (folder: string): TurnContext => ({
  session: asId<"ses">("ses_0000000001"),
  turn: asId<"trn">("trn_1"),
  ...ownersTurn,
  cwd: folder,
  clock: systemClock,
  ask: () => assert.fail("reading asked for permission"),
  inquire: async () => undefined,
});

/** The tool as a model meets it. */
const read = (args: Record<string, unknown>, folder = cwd) =>
  toolBox([readFileTool()], boxContext(folder)).call("read_file", args, new AbortController().signal);

describe("a text file", () => {
  test("comes as numbered lines, whatever its line ends", async () => {
    assert.deepEqual(await read({ path: "poem.txt" }), {
      ok: true,
      output: "1\troses\n2\tviolets\n3\t\n4\tsugar",
    });
  });

  test("may be named by its absolute path, and through a link to the folder", async () => {
    await symlink(cwd, join(top, "link"));
    const link = join(top, "link");
    for (const path of [join(cwd, "poem.txt"), join(link, "poem.txt")]) {
      assert.equal((await read({ path }, link)).ok, true, path);
    }
  });

  test("can be read in parts, each saying where to go on", async () => {
    assert.equal(
      (await read({ path: "poem.txt", offset: 2, limit: 2 })).output,
      "2\tviolets\n3\t\n[More lines follow; read on with offset 4]",
    );
    assert.equal((await read({ path: "poem.txt", offset: 4, limit: 1 })).output, "4\tsugar");
  });

  test("says how long it is when asked for more than it has", async () => {
    assert.deepEqual(await read({ path: "poem.txt", offset: 9 }), {
      ok: false,
      output: "poem.txt has only 4 lines, so there is nothing at line 9.",
    });
  });

  test("that is empty says so", async () => {
    await writeFile(join(cwd, "empty"), "");
    assert.deepEqual(await read({ path: "empty" }), { ok: true, output: "[empty is empty]" });
  });

  test("of any size is read without taking it all, and its far end can be reached", async () => {
    const line = `${"é".repeat(49)}\n`;
    await writeFile(join(cwd, "big.txt"), line.repeat(30_000));
    const first = await read({ path: "big.txt" });
    assert.ok(first.output.length < 300_000);
    assert.match(first.output.slice(-200), /\n2000\té{49}\n\[More lines follow; read on with offset 2001\]$/);
    assert.equal((await read({ path: "big.txt", offset: 30_000 })).output, `30000\t${"é".repeat(49)}`);
  });

  test("with very long lines stops at the cap and shows the beginning of each", async () => {
    await writeFile(join(cwd, "long.txt"), `${"x".repeat(100_000)}\n`.repeat(100));
    const { output } = await read({ path: "long.txt" });
    assert.match(output.slice(0, 2100), /^1\tx{2000}… \[98000 more bytes in this line\]\n2\t/);
    assert.match(output.slice(-60), /\[More lines follow; read on with offset 33\]$/);
  });
});

describe("what is not a text file", () => {
  test("if a folder, names what is in it", async () => {
    assert.deepEqual(await read({ path: "src" }), {
      ok: false,
      output: "src is a folder, not a file. It holds: a.ts.",
    });
    await mkdir(join(cwd, "many", "sub"), { recursive: true });
    for (let n = 0; n < 60; n += 1) await writeFile(join(cwd, "many", `f${n}`), "");
    const { output } = await read({ path: "many" });
    assert.match(output, /f0, f1, f10, /);
    assert.match(output, /, and 11 more\.$/);
    await mkdir(join(cwd, "bare"));
    assert.match((await read({ path: "bare" })).output, /It is empty\.$/);
  });

  test("if binary, says type and size", async () => {
    await writeFile(join(cwd, "a.png"), Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"));
    await writeFile(join(cwd, "blob.bin"), Buffer.alloc(10));
    assert.equal(
      (await read({ path: "a.png" })).output,
      "a.png is not UTF-8 text: it is a PNG image, 16 bytes.",
    );
    assert.equal(
      (await read({ path: "blob.bin" })).output,
      "blob.bin is not UTF-8 text: it is binary data (.bin), 10 bytes.",
    );
  });

  test("if not there, says so", async () => {
    assert.equal(
      (await read({ path: "nothing.txt" })).output,
      "nothing.txt could not be read: there is no such file.",
    );
    assert.match((await read({ path: "poem.txt" }, join(top, "gone"))).output, /working folder .* is gone/);
  });
});

describe("a file that must not be read", () => {
  test("lies outside the folder, however it is named", async () => {
    await symlink(join(top, "secret.txt"), join(cwd, "innocent.txt"));
    await symlink(top, join(cwd, "up"));
    for (const path of [
      "../secret.txt",
      join(top, "secret.txt"),
      "src/../../secret.txt",
      "innocent.txt",
      "up/secret.txt",
      "up",
      "/etc/passwd",
      "/no/such/file",
    ]) {
      const { ok, output } = await read({ path });
      assert.equal(ok, false);
      assert.equal(output, `${path} is outside the working folder, and only files inside it can be read.`);
    }
  });

  test("holds credentials, also behind a link with a harmless name", async () => {
    await writeFile(join(cwd, ".env"), "KEY=1");
    await symlink(".env", join(cwd, "settings.txt"));
    for (const path of [".env", "settings.txt"]) {
      const { ok, output } = await read({ path });
      assert.equal(ok, false);
      assert.match(output, /holds credentials/);
    }
  });
});

test("a file in a guarded place is refused, also behind a link, though it is inside the folder", async () => {
  const state = join(cwd, "state");
  await mkdir(state, { recursive: true });
  await writeFile(join(state, "config.yaml"), "mine");
  await symlink("state/config.yaml", join(cwd, "guarded.txt"));
  await symlink(state, join(top, "other-name"));
  const box = toolBox([readFileTool([join(top, "other-name"), join(top, "missing")])], boxContext(cwd));
  for (const path of ["state/config.yaml", "guarded.txt", "state"]) {
    const { ok, output } = await box.call("read_file", { path }, new AbortController().signal);
    assert.equal(ok, false);
    assert.match(output, /belongs to the settings and records of Talaria or codex/);
  }
});

test("a file that changes while it is read says that it did", async () => {
  const path = join(cwd, "log.txt");
  await writeFile(path, "one\n");
  const { signal } = new AbortController();
  // The reader looks at the signal before each piece, which makes it a place to write from in the midst of a read.
  signal.throwIfAborted = () => {
    if (statSync(path).size === 4) appendFileSync(path, "two\n");
  };
  const context: ToolContext = { ...boxContext(cwd), signal, mask: (text) => text };
  assert.deepEqual(await readFileTool().run({ path: "log.txt" }, context), {
    ok: true,
    output: "1\tone\n2\ttwo\n[The file changed while it was being read; read it again to be sure]",
  });
});
