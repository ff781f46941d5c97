import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { onLoopback } from "../loopback.ts";
import { configure, conversation, hangs, says, talariaOn } from "./endpoint.ts";
import { onDisk } from "./on-disk.ts";
import { testAlone } from "./attached/with-host.ts";

describe("interrupting", { concurrency: 2 }, () => {
  test("Ctrl+C ends the turn as interrupted; what was finished and shown is kept", async () => {
    const search = { call: { tool: "session_search", args: { query: "owl" } } };
    await using it = await talariaOn([
      { reply: [{ text: "I look." }, search] },
      hangs("So far I found"),
      says("Then not."),
    ]);
    const child = await it.start(["run", "find the owl"]);
    await child.shows(/So far I found/);
    child.signal("SIGINT");
    const { code, signal, stdout, stderr } = await child.finished;
    assert.deepEqual([code, signal], [130, null]);
    assert.equal(stdout, "I look.\nSo far I found\n");
    assert.match(stderr, /^· interrupted; what was finished is kept$/m);

    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["interrupted"]);
    assert.deepEqual(
      session?.said.map((line) => line.split(" ", 1)[0]),
      ["user", "assistant", "assistant", "tool", "assistant"],
    );
    const next = await it.run(["run", "--continue", "never mind"]);
    assert.deepEqual([next.code, next.stdout, next.stderr], [0, "Then not.\n", ""], "nothing new to tell");
    const told = conversation(it.model.requests.at(-1));
    assert.equal(told[0], "find the owl");
    assert.match(told.at(-1) ?? "", /never mind$/);
  });

  test("being told to end (SIGTERM) keeps the turn in the same way", async () => {
    await using it = await talariaOn([hangs()]);
    const child = await it.start(["run", "hello"]);
    await child.shows(/think/);
    child.signal("SIGTERM");
    assert.equal((await child.finished).code, 143, "as a shell calls it");
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["interrupted"] }]);
  });

  test("Ctrl+C in the middle of piped lines leaves, and what was not sent stays unsent", async () => {
    await using it = await talariaOn([hangs()]);
    const child = await it.start([]);
    await child.write("one\ntwo\n");
    await child.shows(/think/);
    child.signal("SIGINT");
    assert.equal((await child.finished).code, 130);
    assert.equal(it.model.total, 1);
    const [session] = await onDisk(it.home);
    assert.equal(session?.said[0], "user one");
  });

  testAlone(
    "a host writes the end of the turn",
    "a second Ctrl+C leaves at once, even if the end of the turn cannot be written",
    async () => {
      await using it = await talariaOn([says("Here.")]);
      await using silent = await silentModel();
      await configure(it.home, silent.url);
      const child = await it.start(["run", "hello"]);
      await silent.asked;
      {
        using db = new DatabaseSync(join(it.home, "talaria.db"), { timeout: 10_000 });
        db.exec("begin immediate"); // nobody else can write until it is closed
        child.signal("SIGINT");
        await silent.left;
        child.signal("SIGINT");
        assert.equal((await child.finished).signal, "SIGINT", "which a shell calls 130");
      }
      await configure(it.home, it.model.url);
      const next = await it.run(["run", "--continue", "are you there?"]);
      assert.deepEqual([next.code, next.stdout], [0, "Here.\n"]);
      assert.match(next.stderr, /The last turn was cut off/);
    },
  );

  test("a reader that goes away stops the turn, which is said and kept", async () => {
    await using it = await talariaOn(
      [
        {
          reply: [{ huge: { bytes: 300_000 } }, { call: { tool: "session_search", args: { query: "owl" } } }],
        },
        hangs(),
      ],
      { unaccounted: "the answer is cut off before its figures" },
    );
    const pipe = await it.shell('{ "$0" run hello; echo "exit $?" >&2; } | head -c1');
    pipe.closeInput();
    const { stdout, stderr } = await pipe.finished;
    assert.equal(stdout, "x");
    assert.match(stderr, /nobody reads the answer any more, so the turn was stopped\n/);
    assert.match(stderr, /exit 141\n$/);
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, ["interrupted"]);
  });

  test("a reader that goes away with the whole answer changes nothing of the turn", async () => {
    await using it = await talariaOn([says("done")]);
    const pipe = await it.shell(
      '{ "$0" run hello; echo "exit $?" >&2; } | { read -r line; printf %s "$line"; }',
    );
    pipe.closeInput();
    const { stdout, stderr } = await pipe.finished;
    assert.deepEqual([stdout, stderr], ["done", "exit 0\n"]);
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["done"] }]);
  });
});

type SilentModel = AsyncDisposable & {
  readonly url: string;
  /** Somebody waits for an answer. */
  readonly asked: Promise<void>;
  /** And has given up. */
  readonly left: Promise<void>;
};

/** Never answers, and tells when it is no longer waited for. */
async function silentModel(): Promise<SilentModel> {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    response.once("close", () => left.resolve());
    asked.resolve();
  });
  const bound = await onLoopback(server);
  return {
    url: `${bound.origin}/v1`,
    asked: asked.promise,
    left: left.promise,
    [Symbol.asyncDispose]: () => bound[Symbol.asyncDispose](),
  };
}
