import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { testFolder } from "../../test/temp-folder.ts";

const hook = new URL("../../test/fast-modules.mjs", import.meta.url).href;

/** What this code gives in a thread of its own, with the hook and without it. */
async function given(code: string): Promise<readonly [fast: unknown, plain: unknown]> {
  const whole = `(async () => { ${code} })().then((value) => require("node:worker_threads").parentPort.postMessage(value));`;
  const run = async (execArgv: string[]): Promise<unknown> => {
    const worker = new Worker(whole, { eval: true, execArgv });
    const [value] = (await once(worker, "message")) as [unknown];
    await worker.terminate();
    return value;
  };
  return [await run(["--import", hook]), await run([])];
}

const text = (value: string): string => JSON.stringify(value);

describe("modules that are found fast", () => {
  test("are the same files, of the same kind, as those that Node finds", async () => {
    const store = new URL("../store/open-store.ts", import.meta.url).href;
    const [fast, plain] = await given(`
      const found = new Set();
      const load = (url, context, next) => { found.add(url + " " + context.format); return next(url, context); };
      require("node:module").registerHooks({ load });
      await import(${text(store)});
      await import(${text(import.meta.resolve("zod"))});
      return [...found].sort();`);
    assert.ok((plain as readonly string[]).length > 300);
    assert.deepEqual(fast, plain);
  });

  test("of anybody else are found as ever: behind links, and of either kind", async (t) => {
    const folder = await testFolder(t);
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "link"));
    await writeFile(join(folder, "real/old.js"), "module.exports = { kind: typeof require };\n");
    const main = 'import old from "./old.js"; export const seen = [old.kind, import.meta.url];\n';
    await writeFile(join(folder, "real/main.mjs"), main);
    const [fast, plain] = await given(
      `return (await import(${text(pathToFileURL(join(folder, "link/main.mjs")).href)})).seen;`,
    );
    assert.deepEqual(plain, ["function", pathToFileURL(join(folder, "real/main.mjs")).href]);
    assert.deepEqual(fast, plain);
  });
});
