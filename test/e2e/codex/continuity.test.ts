import assert from "node:assert/strict";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { type CodexTalaria, type Told, talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

const sentence = (...words: readonly string[]): readonly string[] =>
  words.flatMap((word) => [`user ${word}`, `assistant ${word}!`]);

/** The person's words, each of which the model answers with an exclamation mark. */
const echoing = (...words: readonly string[]): Promise<CodexTalaria> =>
  talariaOnCodex(words.map((word) => says(`${word}!`)));

const answered = ({ code, ended }: Told): readonly unknown[] => [code, ended.text];
const seeded = (turn: Told): readonly string[] => turn.notices("thread_seeded");

describe("a conversation over many processes", { concurrency: 2 }, () => {
  test("a new process resumes the thread; if it is gone, a new one is told everything, with one notice", async () => {
    await using it = await echoing("one", "two", "three", "four");
    const one = await it.turn(["one"]);
    const two = await it.turn(["--continue", "two"]);
    assert.deepEqual([answered(two), two.thread, seeded(two)], [[0, "two!"], one.thread, []]);
    assert.deepEqual(heard(it.model.requests[1]), [...sentence("one"), "user two"]);

    for (const name of await readdir(it.codexHome)) {
      if (name !== "config.toml") await rm(join(it.codexHome, name), { recursive: true });
    }
    const three = await it.turn(["--continue", "three"]);
    assert.deepEqual(answered(three), [0, "three!"]);
    assert.notEqual(three.thread, one.thread);
    assert.equal(seeded(three).length, 1);
    assert.match(
      seeded(three)[0] ?? "",
      /could not be resumed .* new codex thread, with what was said so far/,
    );
    assert.deepEqual(heard(it.model.requests[2]), [...sentence("one", "two"), "user three"]);

    const four = await it.turn(["--continue", "four"]);
    assert.deepEqual([four.thread, seeded(four)], [three.thread, []]);
    assert.deepEqual(heard(it.model.requests[3]), [...sentence("one", "two", "three"), "user four"]);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.said, sentence("one", "two", "three", "four"));
  });

  test("another folder has a thread of its own, which is told everything; the first is gone on with", async () => {
    await using it = await echoing("one", "two", "three");
    const elsewhere = join(it.folder, "elsewhere");
    await mkdir(elsewhere);
    const one = await it.turn(["one"]);
    const session = one.lines[0]?.session ?? "";
    const two = await it.turn(["--session", session, "--cwd", elsewhere, "two"]);
    assert.deepEqual([two.code, two.lines[0]?.["cwd"], seeded(two).length], [0, elsewhere, 1]);
    assert.notEqual(two.thread, one.thread);
    assert.deepEqual(heard(it.model.requests[1]), [...sentence("one"), "user two"]);
    const three = await it.turn(["--session", session, "--cwd", it.cwd, "three"]);
    assert.deepEqual([three.thread, seeded(three)], [one.thread, []]);
    assert.deepEqual(heard(it.model.requests[2]), [...sentence("one", "two"), "user three"]);
  });

  test("a thread that another running Talaria has in hand is not split in two", async () => {
    await using it = await echoing("one", "two");
    const chat = await it.start([], { env: { TALARIA_RUNTIME: "codex" } });
    await chat.write("one\n/status\n");
    await chat.shows(/^home /m); // what it answers only when the turn is over
    const refused = await it.turn(["--continue", "me too"]);
    assert.equal(refused.code, 1);
    assert.partialDeepStrictEqual(refused.ended, { outcome: "failed", fault: { code: "refused" } });
    assert.match(refused.ended.fault?.message ?? "", /^Another program has this conversation open in codex/);
    assert.match(refused.ended.fault?.next ?? "", /Close it there/);
    await chat.write("two\n");
    chat.closeInput();
    assert.match((await chat.finished).stdout, /^one!\n(\w+ {2}.*\n)+two!\n$/);
    const [, , asked = "", , last] = heard(it.model.requests[1]);
    assert.deepEqual([asked, last], ["user me too", "user two"], "what was said there is known here");
  });
});
