import assert from "node:assert/strict";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { captureLines } from "../../runtimes/codex/captures.suite.ts";
import { testFolder } from "../../../test/temp-folder.ts";
import { localOwner } from "../../core/principal.ts";
import { systemClock } from "../../lib/clock.ts";
import { runCommand } from "../../lib/process/command.ts";
import { inProcess } from "../../operations/in-process.ts";
import { recordingAccess } from "./recordings.ts";

const capture = "approval-matrix-danger-full-access-never";

test("recordings are listed from the newest on, and nothing else in the folder is", async (t) => {
  const it = await world(t);
  assert.deepEqual(await it.list(5), [], "there need not be a folder");
  await it.keep("trn_1.jsonl", 1000);
  await it.keep("trn_3.jsonl", 3000);
  await it.keep("trn_2.jsonl", 2000);
  await it.keep("notes.txt", 4000);
  const names = async (limit: number) => (await it.list(limit)).map(({ file, at }) => [basename(file), at]);
  assert.deepEqual(await names(2), [
    ["trn_3.jsonl", 3000],
    ["trn_2.jsonl", 2000],
  ]);
  assert.equal((await names(9)).length, 3);
});

test(
  "from elsewhere only recordings are read; a pipe is refused, and nobody waits for it",
  { timeout: 10_000 },
  async (t) => {
    const it = await world(t);
    await it.keep("trn_1.jsonl", 1000, captureLines(capture));
    await writeFile(join(it.cwd, "mine.jsonl"), captureLines(capture).join("\n"));
    const pipe = join(it.cwd, "pipe");
    await runCommand({
      command: "mkfifo",
      args: [pipe],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      clock: systemClock,
      signal: new AbortController().signal,
    });
    const away = inProcess(recordingAccess(it.folder, it.cwd), { ...localOwner("web"), local: false });
    const replay = (file: string) => away.call("recordings.replay", { file });
    assert.deepEqual(await replay("1"), await it.replay("1"));
    for (const file of ["mine.jsonl", join(it.cwd, "mine.jsonl"), pipe])
      await assert.rejects(replay(file), /no such recording/);
    await assert.rejects(it.replay(pipe), /no file/);
  },
);

test("one is found by its number, its turn, its name or a path, and ends with a summary", async (t) => {
  const it = await world(t);
  await it.keep("trn_1.jsonl", 1000, captureLines(capture));
  await it.keep("trn_2.jsonl", 2000);
  await writeFile(join(it.cwd, "mine.jsonl"), captureLines(capture).join("\n"));
  const lines = await it.replay("2");
  assert.match(lines.at(-1) ?? "", /^\d+ turns?: \d+ done/);
  assert.match(lines[0] ?? "", /^· codex, /);
  assert.ok(lines.some((line) => line.startsWith("▸ exec_command ")));
  assert.ok(lines.some((line) => /^ {2}exec_command (done|exit)/.test(line)));
  assert.ok(lines.includes("· done"));
  for (const named of ["trn_1", "trn_1.jsonl", join(it.folder, "trn_1.jsonl"), "mine.jsonl", "./mine.jsonl"])
    assert.deepEqual(await it.replay(named), lines, named);
  assert.deepEqual(await it.replay("1"), ["0 turns: none; 0 items"]);
});

test("of a long one the last lines are shown, and that there were more", async (t) => {
  const it = await world(t);
  const once = captureLines(capture).map((line) => JSON.parse(line) as { client?: string });
  const often = Array.from({ length: 60 }, (_, at) =>
    once.map((frame) => JSON.stringify({ ...frame, client: `c${at}` })),
  ).flat();
  await it.keep("trn_1.jsonl", 1000, often);
  const lines = await it.replay("1");
  assert.equal(lines.length, 202);
  assert.match(lines[0] ?? "", /^\[\d+ lines before these are not shown\]$/);
  assert.match(lines.at(-1) ?? "", /^\d+ turns: /);
});

test("what is not there is a refusal that says what to do", async (t) => {
  const it = await world(t);
  await assert.rejects(it.replay("1"), { name: "Refusal", message: "Nothing has been recorded yet." });
  await it.keep("trn_1.jsonl", 1000);
  await assert.rejects(it.replay("2"), { message: "There is no recording 2, only 1." });
  await assert.rejects(it.replay("nothing"), { name: "Refusal", message: /cannot be read/ });
});

async function world(t: TestContext) {
  const cwd = await testFolder(t);
  const folder = join(cwd, "recordings");
  const client = inProcess(recordingAccess(folder, cwd), localOwner("cli"));
  return {
    cwd,
    folder,
    list: (limit: number) => client.call("recordings.list", { limit }),
    replay: (file: string) => client.call("recordings.replay", { file }),
    async keep(name: string, at: number, lines: readonly string[] = []): Promise<void> {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, name), lines.join("\n"));
      await utimes(join(folder, name), at / 1000, at / 1000);
    },
  };
}
