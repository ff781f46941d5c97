import assert from "node:assert/strict";
import {
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { patchTool } from "./patch.ts";
import { type ToolBench, toolBench } from "./tool-bench.suite.ts";
import { writeFileTool } from "./write-file.ts";

const runs = 10_000;

test(`${runs} hostile paths change nothing outside the folder when outside is not allowed`, async () => {
  await using at = await toolBench([writeFileTool, patchTool]);
  await plant(at);
  const outside = join(at.top, "outside");
  const before = await picture(outside);
  const beside = await readdir(at.top);
  let questions = 0;
  let allowed = 0;
  let written = 0;
  at.onAsk = async () => {
    const action = at.asked.at(-1)?.action;
    assert.ok(action?.kind === "change" && action.changes?.length === 1);
    const path = action.changes[0]?.path ?? "";
    const inside = path.startsWith(`${at.cwd}/`) && !path.includes("/../");
    // A write takes milliseconds to reach the disk: some of those inside are enough.
    const allow = inside && (questions += 1) % 20 === 0;
    at.decision = { choice: allow ? "once" : "deny", why: "policy" };
    allowed += allow ? 1 : 0;
    at.asked.length = 0;
    if (allow && allowed % 2 === 0) await swap(at);
  };
  await fc.assert(
    fc.asyncProperty(hostilePath(at), fc.boolean(), async (path, patching) => {
      const result = patching
        ? await at.call("patch", { path, edits: [{ old: "e", new: "E", all: true }] })
        : await at.call("write_file", { path, content: "written\n" });
      written += result.ok ? 1 : 0;
    }),
    { numRuns: runs },
  );
  assert.deepEqual(await picture(outside), before);
  assert.deepEqual(await readdir(at.top), beside);
  for (const path of await foldersOf(at.cwd)) assert.equal(await realpath(path), path);
  assert.ok(written > 20 && allowed > written, `${allowed} were allowed, ${written} were written`);
});

/** Links that lead out in every way, beside real files and folders. */
async function plant({ top, cwd }: ToolBench): Promise<void> {
  await mkdir(join(top, "outside", "deep"), { recursive: true });
  for (const name of ["a", "b.txt", "deep/a", ".env"])
    await writeFile(join(top, "outside", name), "sentinel\n");
  await mkdir(join(cwd, "deep"), { recursive: true });
  await writeFile(join(cwd, "a"), "inside\n");
  const links = {
    out: "../outside",
    up: "..",
    root: "/",
    file: join(top, "outside", "a"),
    dangling: "../outside/new",
    "deep/out": "../../outside/deep",
    self: "self",
    chain: "out",
    swap: "deep",
  };
  for (const [name, to] of Object.entries(links)) await symlink(to, join(cwd, name));
}

/** Between the question and the write, a folder becomes a link that leads out, or a folder again. */
async function swap({ cwd }: ToolBench): Promise<void> {
  const [here, away] = [join(cwd, "deep"), join(cwd, "was-deep")];
  const isLink = (await lstat(here)).isSymbolicLink();
  if (!isLink) {
    await rename(here, away);
    await symlink("../outside", here);
  }
  if (isLink) {
    await rm(here);
    await rename(away, here);
  }
}

const oddNames =
  "root file dangling self chain outside repo new ~ ~root .env ... %2e%2e ..\\.. \0 \u{FF0E}\u{FF0E} \u202e.. C: e\u0301 -rf"
    .split(" ")
    .concat(".. ", "a\nb", "x".repeat(300));

const oddLetters = [
  "a",
  ".",
  "/",
  "\\",
  "\0",
  "\t",
  "\r",
  "é",
  "\ud800",
  "\u{1F600}",
  "\u200f",
  "*",
  "$",
  "'",
  ":",
];

function hostilePath({ top, cwd }: ToolBench): fc.Arbitrary<string> {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("..", ".", "", "a", "b.txt", "deep", "swap", "out", "up") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...oddNames),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: fc.constantFrom(...oddLetters) }) },
  );
  const start = fc.constantFrom("", "", "", "", "/", "//", "~/", "./", `${top}/`, `${cwd}/`, `${cwd}/../`);
  return fc
    .tuple(start, fc.array(step, { minLength: 1, maxLength: 6 }))
    .map(([first, steps]) => first + steps.join("/"));
}

/** Every name below with what it is and holds, and when it was last changed. */
async function picture(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.map(async (name) => {
    const path = join(folder, name);
    const { mode, ino, ctimeMs } = await lstat(path);
    const held = await readFile(path, "utf8").catch(() => readlink(path).catch(() => ""));
    return `${name} ${mode} ${ino} ${ctimeMs} ${held}`;
  });
  return (await Promise.all(lines)).toSorted();
}

async function foldersOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return [...new Set(files.map((entry) => entry.parentPath))].filter((path) => dirname(path) !== path);
}
