import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closedPort } from "../closed-port.ts";
import { configure, conversation, says, talariaOn } from "./endpoint.ts";
import { onDisk } from "./on-disk.ts";

const error = (status: number, message: string): object => ({
  reply: [{ http: { status, body: { error: { message } } } }],
});

const breaksOff = { reply: [{ text: "never seen" }, { cut: { afterFrames: 1 } }] };

function threeTimes(step: object): readonly object[] {
  return [step, step, step];
}

const faults: readonly {
  readonly name: string;
  /** What the provider answers, as often as it is asked for this turn. */
  readonly steps: readonly object[];
  readonly code: string;
  readonly message: RegExp;
  readonly next: RegExp;
}[] = [
  {
    name: "a key that is not accepted",
    steps: [error(401, "Incorrect API key")],
    code: "auth",
    message: /^mine did not accept the key \(HTTP 401: Incorrect API key\)/,
    next: /Check MINE_KEY/,
  },
  {
    name: "a server that fails",
    steps: threeTimes(error(500, "out of order")),
    code: "overloaded",
    message: /^mine cannot serve the request just now \(HTTP 500: out of order\)/,
    next: /try again/,
  },
  {
    name: "a stream that breaks off",
    steps: [breaksOff, breaksOff, { reply: [{ http: { status: 200 } }] }],
    code: "network",
    message: /^The connection to mine at http:\/\/127\.0\.0\.1:\d+ ended before the answer was complete/,
    next: /Check the network/,
  },
  {
    name: "a login page instead of a model",
    steps: threeTimes({ reply: [{ html: true }] }),
    code: "protocol",
    message: /^mine at http:\/\/127\.0\.0\.1:\d+ answered with .*, which is not a model's answer/,
    next: /Check providers\.mine\.api/,
  },
];

describe("trouble with the provider", { concurrency: 2 }, () => {
  for (const { name, steps, code, message, next } of faults) {
    test(`${name} fails the turn with a reason and a next step, and the message is kept`, async () => {
      await using it = await talariaOn([...steps, says("now it works")]);
      const failed = await it.run(["run", "--json", "the first question"]);
      assert.equal(failed.code, 1);
      const ended = failed.lines.at(-1) as unknown as { fault: Record<"message" | "next", string> };
      assert.partialDeepStrictEqual(ended, { type: "ended", outcome: "failed", fault: { code } });
      assert.match(ended.fault.message, message);
      assert.match(ended.fault.next, next);
      const again = await it.run(["run", "--continue", "the second question"]);
      assert.deepEqual([again.code, again.stdout], [0, "now it works\n"]);
      assert.partialDeepStrictEqual(await onDisk(it.home), [
        {
          turns: ["failed", "done"],
          said: ["user the first question", "user the second question", "assistant now it works"],
        },
      ]);
      assert.match(conversation(it.model.requests.at(-1)).join(), /the first question.*the second question/s);
    });
  }

  test("what was already shown of a broken-off answer is kept with the session", async () => {
    const answer = [{ text: "one two three four five six", chunks: 6 }, { cut: { afterFrames: 6 } }];
    await using it = await talariaOn([{ reply: answer }]);
    const { stdout } = await it.run(["run", "count"]);
    assert.match(stdout, /^one two/);
    const [session] = await onDisk(it.home);
    assert.equal(session?.said.at(-1)?.trim(), `assistant ${stdout.trim()}`);
  });

  test("an address where nobody listens is named, and the message is kept", async () => {
    await using it = await talariaOn([says("never asked")]);
    const port = await closedPort();
    await configure(it.home, `http://127.0.0.1:${port}/v1`);
    const { code, stdout, stderr } = await it.run(["run", "hello"]);
    assert.deepEqual([code, stdout], [1, ""]);
    const [what = "", next = ""] = stderr.trimEnd().split("\n").slice(-2);
    assert.ok(
      what.startsWith(`talaria: Could not reach mine at http://127.0.0.1:${port}: nothing listens there`),
      what,
    );
    assert.match(next, /Check the network, and providers\.mine\.api in config\.yaml/);
    assert.partialDeepStrictEqual(await onDisk(it.home), [{ turns: ["failed"], said: ["user hello"] }]);
  });
});
