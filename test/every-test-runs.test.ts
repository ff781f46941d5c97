import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";

test("npm test runs every *.test.ts file of the repository", async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: { test: string } };
  const patterns = [...scripts.test.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? "");
  const run = new Set(await Array.fromAsync(glob(patterns)));
  const all = await Array.fromAsync(
    glob("**/*.test.{ts,tsx,js,mjs,mts}", { exclude: ["node_modules/**", "dist/**"] }),
  );
  assert.ok(all.length > 5, "the glob finds the tests");
  assert.deepEqual(
    all.filter((path) => !run.has(path)),
    [],
  );
});
