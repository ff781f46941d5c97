import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { conversation, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talaria } from "../talaria.ts";

const always = { otherwise: [{ text: "ok" }] };
const twoSessions = { input: "one\n/new\ntwo\n" };

describe("which session", { concurrency: 2 }, () => {
  test("--continue goes on with the newest of the folder, and the model knows what was said", async () => {
    await using it = await talariaOn(always);
    const elsewhere = join(it.cwd, "elsewhere");
    await mkdir(elsewhere);
    const nothing = await it.run(["run", "--continue", "hello"]);
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /There is no session of \S+ to continue\.\n {9}Leave out --continue/);

    await it.run([], twoSessions);
    await it.run(["run", "another folder"], { cwd: elsewhere });
    assert.equal((await it.run(["run", "--continue", "go on"])).code, 0);
    assert.deepEqual(conversation(it.model.requests.at(-1)), ["two", "ok", "go on"]);
    assert.equal((await onDisk(it.home)).length, 3);
  });

  test("--session takes a unique beginning of an id, and nothing that is ambiguous or unknown", async () => {
    await using it = await talariaOn(always);
    await it.run([], twoSessions);
    const [second = "", first = ""] = (await onDisk(it.home)).map(({ id }) => id);
    const next = await it.run(["run", "--json", "--session", first.slice(0, -1), "three"]);
    assert.equal(next.lines[0]?.session, first);
    assert.deepEqual(conversation(it.model.requests.at(-1)), ["one", "ok", "three"]);

    const [ambiguous, unknown, both] = await Promise.all([
      it.run(["run", "--session", "ses_", "four"]),
      it.run(["run", "--session", "ses_nobody", "four"]),
      it.run(["run", "--session", first, "--continue", "four"]),
    ]);
    assert.deepEqual([ambiguous.code, unknown.code, both.code], [2, 2, 2]);
    assert.ok(ambiguous.stderr.includes(first) && ambiguous.stderr.includes(second), ambiguous.stderr);
    assert.match(unknown.stderr, /There is no session "ses_nobody"\./);
    assert.match(both.stderr, /Two sessions are asked for\.\n {9}Use either its id or --continue\./);
    assert.equal(it.model.total, 3);
  });

  test("--cwd works in another folder, which is then the session's, and has to exist", async () => {
    await using it = await talaria();
    const other = join(it.cwd, "other");
    await mkdir(other);
    await writeFile(join(other, "note.txt"), "the owl sleeps\n");
    const { code, stdout } = await it.run(["run", "--cwd", "other", "read note.txt"]);
    assert.equal(code, 0);
    assert.match(stdout, /the owl sleeps/);
    const goesOn = await it.run(["run", "--continue", "what did I say first?"], { cwd: other });
    assert.match(goesOn.stdout, /read note\.txt/);
    const notThere = ["missing", "other/note.txt"];
    for (const result of await Promise.all(notThere.map((name) => it.run(["run", "--cwd", name, "hello"])))) {
      assert.equal(result.code, 2);
      assert.match(result.stderr, /there is no such folder/);
    }
  });

  test("a model chosen once stays with its session, and only there", async () => {
    await using it = await talariaOn(always);
    await it.run(["run", "--model", "gpt-5.5-large", "--effort", "high", "think"]);
    await it.run(["run", "--continue", "go on"]);
    await it.run(["run", "a new one"]);
    assert.deepEqual(
      it.model.requests.map(({ body }) => [body["model"], body["reasoning"]]),
      [
        ["gpt-5.5-large", { effort: "high" }],
        ["gpt-5.5-large", { effort: "high" }],
        ["gpt-5.5", undefined],
      ],
    );
  });
});
