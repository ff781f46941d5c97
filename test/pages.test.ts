import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { capturedPages, withCaptures } from "../scripts/captured-pages.ts";
import { pages } from "../scripts/pages.ts";
import { foreignVariables, knownVariables, passedVariables } from "../src/config/environment.ts";

for (const [path, page] of Object.entries(pages)) {
  test(`${path} says what the program says; npm run docs writes it anew`, async () => {
    assert.equal(await readFile(path, "utf8"), page());
  });
}

for (const path of capturedPages) {
  test(`${path} shows the screen as it was captured; npm run docs puts it in`, async () => {
    const page = await readFile(path, "utf8");
    assert.match(page, /<!-- capture: [\w-]+ -->\n```text\n/);
    assert.equal(page, await withCaptures(page));
  });
}

test("links of the pages lead to pages and headings that there are", async () => {
  for (const [path, page] of Object.entries(pages)) {
    for (const [, file = "", heading] of page().matchAll(/\]\(([\w-]+\.md)(?:#([\w-]+))?\)/g)) {
      const text = await readFile(new URL(file, new URL(`../${path}`, import.meta.url)), "utf8");
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-"),
      );
      assert.ok(heading === undefined || headings.includes(heading), `${path}: ${file}#${heading}`);
    }
  }
});

test("every variable that the source reads is in the table for people", async () => {
  const known = new Set<string>([...knownVariables, ...foreignVariables].map(({ name }) => name));
  const read = (await sources()).flatMap(({ path, text }) =>
    variablesIn(text).map((name) => ({ path, name })),
  );
  for (const name of ["TALARIA_HOME", "CODEX_HOME", "PATH", "SHELL", "NO_COLOR"])
    assert.ok(
      read.some((found) => found.name === name),
      `the search finds ${name}`,
    );
  assert.deepEqual(
    read.filter(({ name }) => !known.has(name)).map(({ path, name }) => `${path} reads ${name}`),
    [],
  );
});

test("every variable that is handed on is in the table for people", async () => {
  const known = new Set(passedVariables.map(({ name }) => name));
  for (const path of [
    "src/runtimes/codex/process/environment.ts",
    "src/tools/terminal/shell-environment.ts",
  ]) {
    const [list = ""] = /^[\s\S]*?\n\/\*\*\n \* What/.exec(await readFile(path, "utf8")) ?? [];
    const names = [...list.matchAll(/"([A-Z][A-Z0-9_]+)"/g)].map(([, name = ""]) => name);
    assert.ok(names.length > 10, path);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      path,
    );
  }
});

/** `env["X"]`, `env.X`, `{ X, Y } = env`, `someOf(env, ["X"])`. */
function variablesIn(text: string): readonly string[] {
  const direct = [...text.matchAll(/\benv(?:\["([A-Z][A-Z0-9_]*)"\]|\.([A-Z][A-Z0-9_]*)\b)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
  const unpacked = [
    ...text.matchAll(
      /\{\s*([A-Z][A-Z0-9_]*(?:,\s*[A-Z][A-Z0-9_]*)*)\s*\}(?:\s*=\s*|:\s*)[\w.]*(?:\["env"\]|\benv\b)/g,
    ),
  ].flatMap(([, names = ""]) => names.split(/,\s*/));
  const listed = [...text.matchAll(/\bsomeOf\([^[\]]*\[([^\]]*)\]/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/"([A-Z][A-Z0-9_]*)"/g)].map(([, name = ""]) => name),
  );
  return [...direct, ...unpacked, ...listed];
}

async function sources(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const paths = await Array.fromAsync(glob("src/**/*.ts"));
  return Promise.all(
    paths
      .filter((path) => !/\.(test|suite)\.ts$/.test(path))
      .map(async (path) => ({ path, text: await readFile(path, "utf8") })),
  );
}
