import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { says, secretKey, talariaOn } from "./endpoint.ts";
import type { Result } from "./talaria.ts";

/** Not the key of the provider: one that the person keeps beside it. */
const other = "other-91be77c0ffee42";

test("no key gets out: not to a screen, not to a file of the home, not to the model", async () => {
  const fails = { reply: [{ errorFrame: { code: "server_error", message: `while using ${secretKey}` } }] };
  await using it = await talariaOn([
    { reply: [{ http: { status: 401, body: { error: { message: `Incorrect key: ${secretKey}` } } } }] },
    fails,
    fails,
    fails,
    { reply: [{ call: { tool: "read_file", args: { path: "notes.txt" } } }] },
    says("I have read it."),
    { reply: [{ call: { tool: "read_file", args: { path: ".env" } } }] },
    says("I could not read it."),
  ]);
  await writeFile(join(it.home, ".env"), `MINE_KEY=${secretKey}\nOTHER=${other}\n`, { mode: 0o600 });
  await writeFile(join(it.cwd, "notes.txt"), `remember\nMINE_KEY=${secretKey}\nother is ${other}\n`);
  await writeFile(join(it.cwd, ".env"), `X=${secretKey}\n`);

  const said: Result[] = [];
  said.push(await it.run(["run", "hello"]));
  said.push(await it.run(["run", "--json", "hello"]));
  said.push(await it.run(["run", "--json", "read notes.txt"]));
  said.push(await it.run(["run", "read .env"]));
  assert.deepEqual(
    said.map(({ code }) => code),
    [1, 1, 0, 0],
  );
  const session = said[2]?.lines[0]?.session ?? "";
  said.push(await it.run(["sessions", "show", session]));
  said.push(await it.run(["sessions", "export", session]));
  said.push(await it.run(["doctor"]));

  for (const secret of [secretKey, other]) {
    for (const [at, { stdout, stderr }] of said.entries()) {
      assert.ok(!stdout.includes(secret) && !stderr.includes(secret), `output of run ${at + 1}`);
    }
    assert.deepEqual(await filesWith(it.home, secret), [".env"]);
    for (const { n, body } of it.model.requests) {
      assert.ok(!JSON.stringify(body).includes(secret), `request ${n}`);
    }
  }
  assert.match(said[4]?.stdout ?? "", /remember/, "the rest of the file is there");
});

async function filesWith(root: string, secret: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const holds = await Promise.all(files.map(async (file) => (await readFile(file)).includes(secret)));
  return files.filter((_, at) => holds[at]).map((file) => file.slice(root.length + 1));
}
