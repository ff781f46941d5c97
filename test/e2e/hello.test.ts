import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { talaria } from "./talaria.ts";
import { testAlone } from "./attached/with-host.ts";

describe("hello", { concurrency: 2 }, () => {
  test("hello is answered offline in an empty home, and stdout holds the answer and nothing else", async () => {
    await using it = await talaria();
    const { code, stdout, stderr } = await it.run(["run", "hello"]);
    assert.match(stdout, /^Hello! I am Talaria's built-in offline demo model\..*\n$/);
    assert.equal(stderr, "");
    assert.equal(code, 0);
  });

  testAlone("the host leaves some", "looking around leaves no trace", async () => {
    await using it = await talaria();
    const [help, version] = await Promise.all([it.run(["--help"]), it.run(["--version"])]);
    const ofRun = await it.run(["run", "--help"]);
    assert.match(ofRun.stdout, /\n\nArguments:\n {2}text +the message\n\nOptions:\n/);
    assert.deepEqual([help.code, version.code], [0, 0]);
    assert.match(help.stdout, /^Usage: talaria .*\n[^]*\n {2}run /);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
    await assert.rejects(stat(it.home));
  });

  test("nobody but the owner can read the home, whatever the umask of the shell", async () => {
    await using it = await talaria();
    const withoutCache = { env: { NODE_COMPILE_CACHE: "" } };
    // The second start finds a home and keeps its compiled code there; the log needs something to say.
    for (const words of ["hello", "hello again"]) {
      const child = await it.shell(`umask 0; "$0" run ${JSON.stringify(words)}`, withoutCache);
      child.closeInput();
      assert.equal((await child.finished).code, 0);
    }
    const loose = (await everything(it.home)).filter(({ mode }) => (mode & 0o077) !== 0);
    assert.deepEqual(
      loose.map(({ path, mode }) => `${mode.toString(8)} ${path}`),
      [],
    );
    assert.ok((await everything(it.home)).some(({ path }) => path.endsWith("/talaria.db")));
  });
});

async function everything(root: string): Promise<readonly { path: string; mode: number }[]> {
  const inside = await readdir(root, { recursive: true });
  return Promise.all(
    ["", ...inside].map(async (name) => {
      const path = join(root, name);
      return { path, mode: (await stat(path)).mode & 0o777 };
    }),
  );
}
