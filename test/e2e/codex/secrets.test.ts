import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { says, secretKey } from "../endpoint.ts";
import { runs, talariaOnCodex } from "./codex-talaria.ts";

test("a command sees no key, and a recording, the session and codex's own files hold none", async () => {
  await using it = await talariaOnCodex([
    { reply: [runs("env; tr '\\0' '\\n' < /proc/1/environ; echo over")] },
    says("That is all."),
  ]);
  const turn = await it.turn(["--record", "show me your environment"]);
  const [shown] = turn.items;
  assert.partialDeepStrictEqual(shown, { kind: "call", tool: "exec_command", exitCode: 0 });
  const output = shown?.kind === "call" ? shown.output : "";
  assert.match(output, new RegExp(`^HOME=${it.folder}$[\\s\\S]*^over$`, "m"));
  assert.doesNotMatch(output, /TALARIA_(?!CHILD=)|MINE_KEY|_KEY=|SECRET/);

  const file = turn.notices("recording")[0]?.replace("Recording to ", "") ?? "";
  assert.match(await readFile(file, "utf8"), /"turn\/completed"/);
  const session = turn.lines[0]?.session ?? "";
  const said = [turn, await it.run(["sessions", "show", session]), await it.run(["replay", "--json", file])];
  for (const { stdout, stderr } of said) assert.ok(!`${stdout}${stderr}`.includes(secretKey));
  for (const { body } of it.model.requests) assert.ok(!JSON.stringify(body).includes(secretKey));
  assert.deepEqual(await filesWith(it.folder, secretKey), [join("home", ".env")]);
  assert.deepEqual(await filesWith(it.codexHome, secretKey), []);
});

async function filesWith(root: string, secret: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const holds = await Promise.all(files.map(async (file) => (await readFile(file)).includes(secret)));
  return files.filter((_, at) => holds[at]).map((file) => file.slice(root.length + 1));
}
