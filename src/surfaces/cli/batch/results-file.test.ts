import assert from "node:assert/strict";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { asId } from "../../../core/ids.ts";
import { systemClock } from "../../../lib/clock.ts";
import { readBatch } from "./batch-file.ts";
import { type Written, openResults } from "./results-file.ts";

const usage = { input: 1, cached: 0, output: 1, reasoning: 0 };
const session = asId<"ses">("ses_1");
const row = (line: number, status: Written["status"] = "done"): Written => ({
  batch: "bat_1",
  line,
  status,
  session,
  attempts: 1,
  answer: `Answer ${line}`,
  usage,
});
const clock = systemClock;

test("results that a crash has cut off at any byte are found again, each once", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "out.jsonl");
  const [first, second] = [1, 2].map((line) => `${JSON.stringify(row(line))}\n`) as [string, string];
  for (let cut = 0; cut <= second.length; cut += 1) {
    await writeFile(path, first + second.slice(0, cut));
    const known = await keeping(path);
    const isWhole = cut >= second.length - 1;
    assert.deepEqual(known, isWhole ? [row(1), row(2)] : [row(1)], `cut at ${cut}`);
    const left = await readFile(path, "utf8");
    assert.equal(left, `${isWhole ? first + second : first}${JSON.stringify(row(3))}\n`);
  }
});

async function keeping(path: string): Promise<readonly Written[]> {
  await using results = await openResults(path, "bat_1", { retry: false, clock });
  results.add(row(3));
  return results.known;
}

test("results of another batch are not mixed with these, and retry takes out what did not go well", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "out.jsonl");
  await writeFile(path, [row(1), row(2, "failed")].map((each) => `${JSON.stringify(each)}\n`).join(""));
  {
    await using results = await openResults(path, "bat_1", { retry: true, clock });
    assert.deepEqual(results.known, [row(1)]);
  }
  assert.equal(await readFile(path, "utf8"), `${JSON.stringify(row(1))}\n`);
  await appendFile(path, `${JSON.stringify({ ...row(2), batch: "bat_2" })}\n`);
  await assert.rejects(openResults(path, "bat_1", { retry: false, clock }), /something else in line 2/);
});

test("what is wrong with a file is told with the numbers of its lines; its text and choices make its name", async () => {
  const cwd = import.meta.dirname;
  const bad = [
    '"fine"',
    "{",
    '{"promt": "x"}',
    '{"prompt": ""}',
    "",
    '{"prompt": "a", "runtime": "x"}',
    "[]",
  ];
  const more = [
    '{"prompt": "a", "id": "1"}',
    '{"prompt": "b", "id": "1"}',
    '{"prompt": "a", "cwd": "nowhere"}',
  ];
  const { prompts, problems } = await readBatch(Buffer.from([...bad, ...more].join("\n")), { cwd });
  assert.deepEqual(
    prompts.map(({ line }) => line),
    [1, 8],
  );
  assert.deepEqual(
    problems.map((problem) => problem.replace(cwd, "")),
    [
      "line 2: is not JSON",
      'line 3: "promt" is unknown; there are prompt, id, model, runtime, cwd',
      'line 4: "prompt" is not a text',
      'line 6: there is no runtime "x"; choose one of: loop, codex',
      'line 7: is neither a text nor an object with "prompt"',
      "line 9: has the id of line 8",
      "line 10: there is no folder /nowhere",
    ],
  );
  const named = async (text: string, all = {}): Promise<string> =>
    (await readBatch(Buffer.from(text), { cwd, ...all })).batch;
  const names = [await named('"a"'), await named('"b"'), await named('"a"', { model: "m" })];
  assert.equal(new Set([...names, await named('"a"')]).size, 3);
});

test("a file may begin with a mark that an editor sets, and is the same batch; a line that is not UTF-8 is not sent", async () => {
  const cwd = import.meta.dirname;
  const lines = Buffer.from('"Grüße"\r\n{"prompt": "b"}\n');
  const marked = await readBatch(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), lines]), { cwd });
  assert.deepEqual(marked.problems, []);
  assert.deepEqual(marked, await readBatch(lines, { cwd }));
  assert.deepEqual(
    marked.prompts.map(({ line, text }) => [line, text]),
    [
      [1, "Grüße"],
      [2, "b"],
    ],
  );
  const { prompts, problems } = await readBatch(
    Buffer.concat([lines, Buffer.from('"Gr\xfc\xdfe"', "latin1")]),
    { cwd },
  );
  assert.deepEqual(problems, ["line 3: is not UTF-8"]);
  assert.equal(prompts.length, 2);
});
