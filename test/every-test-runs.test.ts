import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { unitTests } from "./units/load.ts";

test("npm test runs every *.test.ts file of the repository, and each once", async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: { test: string } };
  const started = await Array.fromAsync(glob(quoted(scripts.test, /'([^']+)'/g)));
  const loaded = started
    .filter((path) => path.startsWith("test/units/"))
    .map(async (path) => unitTests(quoted(await readFile(path, "utf8"), /"(src\/[^"]+)"/g)));
  const run = [...new Set(started), ...(await Promise.all(loaded)).flat()];
  const all = await Array.fromAsync(
    glob("**/*.test.{ts,tsx,js,mjs,mts}", { exclude: ["node_modules/**", "dist/**"] }),
  );
  assert.ok(all.length > 5, "the glob finds the tests");
  assert.deepEqual(run.toSorted(), all.toSorted());
});

const quoted = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? "");
