import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { runs, talariaOnCodex } from "../codex/codex-talaria.ts";

test("a batch on codex does what its prompts say, one result each, and asks for nothing again", async () => {
  await using it = await talariaOnCodex([
    { reply: [runs("echo one > made.txt")] },
    says("It is made."),
    says("The other one."),
  ]);
  await writeFile(join(it.cwd, "all.jsonl"), '{"prompt": "Make a file.", "id": "file"}\n"Say something."\n');
  const command = ["batch", "all.jsonl", "--runtime", "codex", "--concurrency", "1"];
  const ran = await it.run(command);
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(await readFile(join(it.cwd, "made.txt"), "utf8"), "one\n");
  const results = async (): Promise<readonly object[]> =>
    (await readFile(join(it.cwd, "all.results.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
  const wanted = [
    { line: 1, id: "file", status: "done", attempts: 1, answer: "It is made." },
    { line: 2, status: "done", attempts: 1, answer: "The other one." },
  ];
  assert.partialDeepStrictEqual(await results(), wanted);
  const asked = it.model.requests.length;
  const again = await it.run(command);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual([(await results()).length, it.model.requests.length], [2, asked]);
  assert.deepEqual(
    (await onDisk(it.home)).map(({ turns }) => turns),
    [["done"], ["done"]],
  );
});
