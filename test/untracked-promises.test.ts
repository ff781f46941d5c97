import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "../src/lib/clock.ts";
import { spawnChild } from "../src/lib/process/child.ts";
import { lines } from "../src/lib/rpc/jsonl.ts";
import { tempFolder } from "./temp-folder.ts";

const preloaded = import.meta.resolve("./untracked-promises.mjs");
const { NODE_TEST_CONTEXT: _ours, ...env } = process.env as Record<string, string>;

/** What the runner says of a file with this in it. */
async function ran(
  body: string,
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly said: string }> {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, "a.test.mjs"), `import { describe, test } from "node:test";\n${body}`);
  await using child = await spawnChild({
    command: process.execPath,
    args: ["--import", preloaded, "--test", "--test-reporter=tap", "a.test.mjs"],
    cwd: folder.path,
    env,
    kind: "test",
    registry: { add: async () => {}, remove: async () => {} },
    signal,
    clock: systemClock,
  });
  const said = (await Array.fromAsync(lines(child.stdout))).join("\n");
  return { code: (await child.exited).code, said };
}

describe("with promises that are not followed", () => {
  test("a test belongs to what it is described in, and what it throws after it has waited to the test", async (t) => {
    const fails = `test("later", async () => { await 1; throw new Error("it is red"); });`;
    const { code, said } = await ran(`describe("outer", () => { ${fails} });`, t.signal);
    assert.equal(code, 1);
    assert.match(said, /\n {4}not ok 1 - later\n/);
    assert.match(said, /\nnot ok 1 - outer\n/);
  });

  for (const [what, how] of [
    ["a promise that rejects while nobody awaits it", `void Promise.reject(new Error("nobody hears"));`],
    ["what a timer throws", `setTimeout(() => { throw new Error("nobody hears"); }, 0);`],
  ] as const)
    test(`${what} fails its file, and is told`, async (t) => {
      const goesOn = "await new Promise((done) => setTimeout(() => setTimeout(done, 0), 1));";
      const { code, said } = await ran(`test("green", async () => { await 1; ${how} ${goesOn} });`, t.signal);
      assert.equal(code, 1);
      assert.match(said, /nobody hears/);
    });
});
