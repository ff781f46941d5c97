import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closedPort } from "../../closed-port.ts";
import { configure, says } from "../endpoint.ts";
import { onDisk } from "../on-disk.ts";
import { talariaOnCodex } from "./codex-talaria.ts";
import { heard } from "./heard.ts";

const error = (status: number, about: object): readonly object[] => [
  { http: { status, body: { error: about } } },
];

/** The message that meets the trouble, what the model's side does, and what is said about it. */
const troubles: readonly {
  readonly message: string;
  readonly reply: readonly object[];
  readonly code: string;
  readonly says: RegExp;
  readonly next: RegExp;
}[] = [
  {
    message: "too fast",
    reply: error(429, { message: "slow down", code: "rate_limit_exceeded" }),
    code: "rate_limited",
    says: /^mine gets too many requests just now: .*429/,
    next: /Wait a little and try again/,
  },
  {
    message: "too much",
    reply: error(429, { message: "pay first", code: "insufficient_quota" }),
    code: "quota",
    says: /^mine says that the plan or budget is used up/,
    next: /Check the plan and billing of mine/,
  },
  {
    message: "wrong key",
    reply: error(401, { message: "Incorrect API key provided" }),
    code: "auth",
    says: /^mine did not accept the login or key: .*Incorrect API key provided/,
    next: /Check MINE_KEY/,
  },
  {
    message: "out of order",
    reply: error(500, { message: "out of order" }),
    code: "overloaded",
    says: /^mine cannot serve the request just now/,
    next: /try again/,
  },
  {
    message: "cut off",
    reply: [{ text: "so far and no further than this" }, { cut: { afterFrames: 4 } }],
    code: "network",
    says: /connection broke: stream disconnected/,
    next: /Try again/,
  },
];

/** Codex itself tries again, so that each trouble must last. */
const requestsOfOneTurn = 9;

describe("trouble between codex and the model", { concurrency: 2 }, () => {
  test("each kind has its code and next step, the messages are kept, and the thread goes on", async () => {
    const steps = troubles.flatMap(({ message, reply }) =>
      Array.from({ length: requestsOfOneTurn }, () => ({ when: message, reply })),
    );
    await using it = await talariaOnCodex({ steps, otherwise: [{ text: "now it works" }], maxRequests: 99 });
    const threads = new Set<string | undefined>();
    for (const [at, { message, code, says: words, next }] of troubles.entries()) {
      const failed = await it.turn([...(at === 0 ? [] : ["--continue"]), message]);
      assert.equal(failed.code, 1, message);
      assert.partialDeepStrictEqual(failed.ended, { outcome: "failed", fault: { code } });
      assert.match(failed.ended.fault?.message ?? "", words);
      assert.match(failed.ended.fault?.next ?? "", next);
      threads.add(failed.thread);
    }
    const last = await it.turn(["--continue", "and now?"]);
    assert.deepEqual([last.code, last.ended.text], [0, "now it works"]);
    assert.equal(threads.add(last.thread).size, 1, "one thread for all");
    const messages = [...troubles.map(({ message }) => message), "and now?"];
    assert.deepEqual(
      heard(it.model.requests.at(-1)),
      messages.map((message) => `user ${message}`),
    );
    const [session] = await onDisk(it.home);
    assert.deepEqual(session?.turns, [...troubles.map(() => "failed"), "done"]);
    assert.deepEqual(
      session?.said.filter((line) => line.startsWith("user")),
      messages.map((message) => `user ${message}`),
    );
  });

  test("an address where nobody listens is no endless turn, and the message is kept", async () => {
    await using it = await talariaOnCodex([says("Here I am.")]);
    await configure(it.home, `http://127.0.0.1:${await closedPort()}/v1`);
    const failed = await it.turn(["are you there?"]);
    assert.equal(failed.code, 1);
    assert.partialDeepStrictEqual(failed.ended, { outcome: "failed", fault: { code: "network" } });
    assert.match(failed.ended.fault?.message ?? "", /^mine was not reached/);
    assert.match(failed.ended.fault?.next ?? "", /Check the network and the address of mine/);
    await configure(it.home, it.model.url);
    const again = await it.turn(["--continue", "and now?"]);
    assert.deepEqual([again.code, again.ended.text], [0, "Here I am."]);
    assert.deepEqual(heard(it.model.requests[0]), ["user are you there?", "user and now?"]);
  });
});
