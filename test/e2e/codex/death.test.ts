import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import type { Started } from "../talaria.ts";
import {
  endless,
  endlessBegun,
  itemsOf,
  pidOf,
  processesOf,
  runs,
  talariaOnCodex,
  told,
} from "./codex-talaria.ts";
import { heard } from "./heard.ts";
import { whenChanged } from "./watching.ts";

const first = { reply: [{ text: "First this.", phase: "commentary" }, runs("echo finished")] };
const kept = ["user work", "assistant First this.", "assistant ", "tool finished\n", "assistant "];

describe("sudden death", { concurrency: 2 }, () => {
  test("of codex in the middle of a command fails the turn as lost; what was finished is kept, the thread goes on", async () => {
    await using it = await talariaOnCodex([first, { reply: [endless] }, says("Here again.")]);
    const child = await it.startTurn(["work"]);
    await endlessBegun(it, child);
    process.kill(await pidOf(it, /codex app-server/), "SIGKILL");
    const lost = told(await child.finished);
    assert.deepEqual(await processesOf(it), []);
    assert.equal(lost.code, 1);
    assert.partialDeepStrictEqual(lost.ended, { outcome: "failed", fault: { code: "lost" } });
    assert.match(lost.ended.fault?.message ?? "", /^The codex app-server was ended by SIGKILL\./);
    assert.match(
      lost.ended.fault?.next ?? "",
      /^Send it again: what was done so far is kept.*`\/codex-runtime auto`\.$/,
    );

    const next = await it.turn(["--continue", "go on"]);
    assert.deepEqual([next.code, next.ended.text, next.thread], [0, "Here again.", lost.thread]);
    assert.deepEqual([next.notices("thread_seeded"), next.notices("turn_recovered")], [[], []]);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["failed", "done"]);
    assert.deepEqual(session?.said.slice(0, 5), kept);
    assert.match(session?.said[5] ?? "", /^tool .*codex was gone before it had a result/);
    assert.deepEqual(session?.said.slice(6), ["user go on", "assistant Here again."]);
  });

  test("of Talaria in the middle of a command is repaired from codex's journal: nothing twice, one notice, no orphan", async () => {
    await using it = await talariaOnCodex([first, { reply: [endless] }, says("Here again."), says("Still.")]);
    const child = await it.startTurn(["work"]);
    await endlessBegun(it, child);
    // codex starts a command before it has written down that the model asked for it.
    await inJournal(it.codexHome, '"type":"function_call"', 2);
    child.signal("SIGKILL");
    const shown = itemsOf((await child.finished).lines);
    assert.deepEqual(
      shown.map(({ kind }) => kind),
      ["text", "call"],
    );
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["open"] }]);

    const next = await it.turn(["--continue", "go on"]);
    assert.deepEqual(await processesOf(it), []);
    assert.deepEqual([next.code, next.ended.text], [0, "Here again."]);
    assert.equal(next.notices("turn_recovered").length, 1);
    assert.match(next.notices("turn_recovered")[0] ?? "", /was cut off .* is kept as interrupted/);
    assert.deepEqual(next.notices("thread_seeded"), []);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["interrupted", "done"]);
    assert.deepEqual(session?.said.slice(0, 5), kept);
    assert.deepEqual(session?.said.slice(6), ["user go on", "assistant Here again."]);
    const again = await it.turn(["--continue", "and on"]);
    assert.deepEqual([again.code, again.notices("turn_recovered")], [0, []], "told once");
  });

  test("of Talaria before it saw the answer that codex had: the answer is recovered, and told to nobody twice", async () => {
    let second: Started | undefined;
    await using it = await talariaOnCodex([says("One."), says("Two."), says("Three.")], {
      onRequest: ({ n }) => n === 2 && second?.signal("SIGSTOP"),
    });
    const one = await it.turn(["first"]);
    const before = bindings(it.home);
    second = await it.startTurn(["--continue", "second"]);
    await inJournal(it.codexHome, '"type":"task_complete"', 2);
    second.signal("SIGKILL");
    await second.finished;
    assert.deepEqual((await onDisk(it.home))[0]?.said, ["user first", "assistant One.", "user second"]);

    // As if it had died even earlier: right after it told codex, before it noted so.
    before.restore();
    const three = await it.turn(["--continue", "third"]);
    assert.deepEqual([three.code, three.ended.text, three.thread], [0, "Three.", one.thread]);
    assert.match(
      three.notices("turn_recovered").join("\n"),
      /^The last turn had finished .* answer was recovered\.$/,
    );
    const all = ["user first", "assistant One.", "user second", "assistant Two.", "user third"];
    assert.deepEqual(heard(it.model.requests[2]), all);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["done", "done", "done"]);
    assert.deepEqual(session?.said, [...all, "assistant Three."]);
  });
});

/** Resolves when codex's journal of its one thread holds so many lines of this type. */
async function inJournal(codexHome: string, type: string, wanted: number): Promise<void> {
  const folder = join(codexHome, "sessions");
  const [name = ""] = (await readdir(folder, { recursive: true })).filter((each) => each.endsWith(".jsonl"));
  const file = join(folder, name);
  const count = async (): Promise<number> => (await readFile(file, "utf8")).split(type).length - 1;
  await whenChanged(file, async () => (await count()) === wanted);
}

/** What is noted about codex's side, to be put back later. */
function bindings(home: string): { restore(): void } {
  const file = join(home, "talaria.db");
  using before = new DatabaseSync(file, { readOnly: true });
  const rows = before.prepare("SELECT session, cwd, value FROM binding").all();
  return {
    restore() {
      using now = new DatabaseSync(file);
      const put = now.prepare("UPDATE binding SET value = ? WHERE session = ? AND cwd = ?");
      for (const { session = null, cwd = null, value = null } of rows) put.run(value, session, cwd);
      now.exec("UPDATE turn SET side = NULL WHERE state = 'open'");
    },
  };
}
