import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talariaOnCodex, told } from "./codex-talaria.ts";
import { heard } from "./heard.ts";
import { whenChanged } from "./watching.ts";

/** What such a model writes instead of calling tools one by one. */
const program = `
const shell = await tools.exec_command({ cmd: "echo from code; exit 4" });
text(shell.exit_code);
text(await tools.talaria__session_search({ query: "capercaillie" }));
`;

test("a model that works by writing code makes the same items and rows as any other", async () => {
  await using it = await talariaOnCodex([
    { reply: [{ text: "I try.", phase: "commentary" }, { custom: { tool: "exec", input: program } }] },
    says("It ended with 4."),
    says("I said: it ended with 4."),
  ]);
  const { code, lines, items, ended, thread } = await it.turn(["--model", "gpt-6.1-sol", "try it"]);
  assert.deepEqual([code, lines[0]?.["model"]], [0, "gpt-6.1-sol"]);
  assert.partialDeepStrictEqual(items, [
    { kind: "text", text: "I try.", phase: "commentary" },
    { kind: "call", tool: "exec_command", output: "from code\n", ok: false, exitCode: 4 },
    { kind: "call", tool: "session_search", args: { query: "capercaillie" }, ok: true },
    { kind: "text", text: "It ended with 4." },
  ]);
  assert.partialDeepStrictEqual(ended, { outcome: "done", text: "It ended with 4.", calls: 2 });
  assert.match(heard(it.model.requests[1]).at(-1) ?? "", /^result .*"4".*Nothing was found/);
  const [session] = await onDisk(it.home);
  assert.deepEqual(session?.said.slice(0, 5), [
    "user try it",
    "assistant I try.",
    "assistant ",
    "tool [exit 4]\nfrom code\n",
    "assistant ",
  ]);
  const next = await it.turn(["--continue", "what did you say?"]);
  assert.deepEqual([next.code, next.ended.text], [0, "I said: it ended with 4."]);
  assert.equal(next.thread, thread);
});

test("a question beside the work is in the history once", async () => {
  const questions = [
    { title: "Which one?", options: ["the left", "the right"] },
    { title: "And when?", options: ["now", "later"] },
  ];
  const call = { tool: "request_user_input_async", namespace: "functions", args: { questions } };
  await using it = await talariaOnCodex([{ reply: [{ call }] }, says("I go on.")]);
  const { items } = await it.turn(["--model", "gpt-6.1-sol", "try it"]);
  const [asked] = items;
  assert.ok(asked?.kind === "text" && asked.phase === "commentary");
  for (const { title, options } of questions)
    for (const words of [title, ...options]) assert.equal(asked.text.split(words).length, 2, asked.text);
  const [session] = await onDisk(it.home);
  assert.deepEqual(session?.said, ["user try it", `assistant ${asked.text}`, "assistant I go on."]);
});

test("a wait that was stopped says how long it was, not how long it was meant to be", async () => {
  const call = { tool: "sleep", namespace: "clock", args: { duration_ms: 43_200_000 } };
  await using it = await talariaOnCodex([{ reply: [{ call }] }]);
  const child = await it.startTurn(["--model", "gpt-6.1-sol", "--record", "wait"]);
  const recorded = join(it.home, "recordings");
  await whenChanged(it.home, async () => (await readdir(it.home)).includes("recordings"));
  await whenChanged(recorded, async () => (await framesIn(recorded)).includes('"type":"sleep"'));
  child.signal("SIGINT");
  const { items, ended } = told(await child.finished);
  assert.equal(ended.outcome, "interrupted");
  const [waited] = items;
  assert.ok(waited?.kind === "note");
  assert.match(waited.text, /^Waited \d{1,2}(\.\d)? s of 43200 s: the turn was stopped\.$/);
});

/** What was recorded so far. */
async function framesIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("");
}
