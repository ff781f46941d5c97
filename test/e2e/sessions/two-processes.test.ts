import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hangs, says, talariaOn } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { type Started, type Talaria, talaria } from "../talaria.ts";

describe("two processes", { concurrency: 2 }, () => {
  test("a session that is busy elsewhere refuses, names the pid, and stores nothing", async () => {
    await using it = await talariaOn([hangs(), says("answered")]);
    const { first, session } = await busyTurn(it);
    const refused = await it.run(["run", "--session", session, "second"]);
    assert.deepEqual([refused.code, refused.stdout], [3, ""]);
    assert.match(refused.stderr, new RegExp(`is busy in another process \\(pid ${first.pid} on .+\\)`));
    assert.match(refused.stderr, /Nothing was done\.\n {9}Wait until/);

    first.signal("SIGSTOP");
    const stopped = await it.run(["run", "--json", "--session", session, "third"]);
    first.signal("SIGCONT");
    assert.equal(stopped.code, 3, "a process that stands still still owns its session");
    assert.partialDeepStrictEqual(stopped.lines, [{ type: "error", code: "busy" }]);

    const deleting = await it.run(["sessions", "delete", session, "--yes"]);
    assert.equal(deleting.code, 3);
    assert.ok(deleting.stderr.includes(`pid ${first.pid}`), deleting.stderr);
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["open"], said: ["user first"] }]);
    assert.equal(it.model.total, 1);

    first.signal("SIGINT");
    assert.equal((await first.finished).code, 130);
    assert.equal((await it.run(["run", "--session", session, "fourth"])).stdout, "answered\n");
    assert.deepEqual(await onDisk(it.home), [
      {
        id: session,
        turns: ["interrupted", "done"],
        said: ["user first", "assistant Let me think.", "user fourth", "assistant answered"],
      },
    ]);
  });

  test("another session of the same home is not held up, nor disturbs the busy one", async () => {
    await using it = await talariaOn([hangs(), says("answered")]);
    const { first } = await busyTurn(it);
    const other = await it.run(["run", "hello"]);
    assert.deepEqual([other.code, other.stdout, other.stderr], [0, "answered\n", ""]);
    first.signal("SIGINT");
    assert.equal((await first.finished).code, 130);
    const sessions = await onDisk(it.home);
    assert.deepEqual(sessions.map(({ turns }) => turns.join()).toSorted(), ["done", "interrupted"]);
  });

  test("a chat of lines shows what another process has added before it sends its next line", async () => {
    await using it = await talariaOn([says("One."), says("Two."), says("Three.")]);
    const chat = await it.start([]);
    await chat.write("first\n");
    await chat.shows(/One\./);
    const session = (await onDisk(it.home))[0]?.id ?? "";
    assert.equal((await it.run(["run", "--session", session, "second"])).stdout, "Two.\n");
    await chat.write("third\n");
    chat.closeInput();
    const { code, stdout, stderr } = await chat.finished;
    assert.deepEqual([code, stdout], [0, "One.\nThree.\n"]);
    assert.equal(stderr, "· This session went on elsewhere:\n› second\nTwo.\n");
  });

  test("a killed process is followed at once; its turn is told once and nothing is doubled", async () => {
    await using it = await talariaOn([hangs(), says("answered"), says("answered again")]);
    const { first, session } = await busyTurn(it);
    first.signal("SIGKILL");
    assert.equal((await first.finished).signal, "SIGKILL");

    const second = await it.run(["run", "--session", session, "second"]);
    assert.deepEqual([second.code, second.stdout], [0, "answered\n"]);
    assert.equal(second.stderr.match(/The last turn was cut off/g)?.length, 1, second.stderr);
    const third = await it.run(["run", "--session", session, "third"]);
    assert.deepEqual([third.code, third.stderr], [0, ""], "it was told already");
    assert.deepEqual(await onDisk(it.home), [
      {
        id: session,
        turns: ["interrupted", "done", "done"],
        said: ["user first", "user second", "assistant answered", "user third", "assistant answered again"],
      },
    ]);
    assert.equal(it.model.total, 3, "the cut-off turn was not run again");
  });

  test("several first starts in an empty home do not get in each other's way", async () => {
    await using it = await talaria();
    const all = await Promise.all(["a", "b", "c", "d"].map((name) => it.run(["run", `my name is ${name}`])));
    assert.deepEqual(
      all.map(({ code, stderr }) => ({ code, stderr })),
      all.map(() => ({ code: 0, stderr: "" })),
    );
    assert.equal((await onDisk(it.home)).length, 4);
  });
});

/** A turn of another process that the model keeps waiting. */
async function busyTurn(it: Talaria): Promise<{ readonly first: Started; readonly session: string }> {
  const first = await it.start(["run", "--json", "first"]);
  const [, session = ""] = await first.shows(/"session":"(ses_\w+)","turn":"\w+","type":"delta"/);
  return { first, session };
}
