import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { unitTests } from "./units/load.ts";

test("npm test and npm run test:browser run every *.test.ts file of the repository, and each once", async () => {
  const started = await startedFiles();
  const run = [...started, ...(await sharingFiles(started))];
  const all = await Array.fromAsync(
    glob("**/*.test.{ts,tsx,js,mjs,mts}", { exclude: ["node_modules/**", "dist/**"] }),
  );
  assert.ok(all.length > 5, "the glob finds the tests");
  assert.deepEqual(run.toSorted(), all.toSorted());
});

test("no test file that shares a process has a hook that runs for the tests of the others", async () => {
  const sharing = await sharingFiles(await startedFiles());
  const texts = await Promise.all(sharing.map(async (path) => [path, await readFile(path, "utf8")] as const));
  const hooked = texts.filter(([, text]) => /^(?:before|beforeEach|afterEach)\(/m.test(text));
  assert.deepEqual(
    hooked.map(([path]) => path),
    [],
    "name it *.alone.test.ts, or put the hook into a describe",
  );
});

type Package = { readonly scripts: { readonly test: string; readonly "test:browser": string } };

/** Those for which the runner starts a process. */
async function startedFiles(): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as Package;
  const lines = [scripts.test, scripts["test:browser"]];
  const files = lines.map((line) => Array.fromAsync(glob(quoted(line, /'([^']+)'/g))));
  return (await Promise.all(files)).flatMap((some) => [...new Set(some)]);
}

/** Those that are loaded by one of them. */
async function sharingFiles(started: readonly string[]): Promise<readonly string[]> {
  const groups = started
    .filter((path) => /^test\/(?:units|whole)\//.test(path))
    .map(async (path) => unitTests(quoted(await readFile(path, "utf8"), /"((?:src|test)\/[^"]+)"/g)));
  return (await Promise.all(groups)).flat();
}

const quoted = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
