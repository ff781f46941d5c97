import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { LineTooLongError } from "../../../lib/rpc/jsonl.ts";
import { RpcError } from "../../../lib/rpc/rpc-message.ts";
import { connection } from "./connection.ts";
import type { ConnectionOptions } from "./connection.ts";
import { fakeWire, settled } from "./fake-wire.suite.ts";
import type { Frame, RequestFrame } from "./frame.ts";
import { AppServerGone, RequestTimedOut } from "../process/gone.ts";
import type { ThreadFeed } from "./thread-feed.ts";

const never = new AbortController().signal;
const soon = { signal: never, timeoutMs: 1_000 };

describe("frames", () => {
  test("reach the feed of their thread alone, whichever way they name it", async () => {
    const { talk, codex } = start();
    const [t, u] = [talk.feed("T"), talk.feed("U")];
    codex.say(
      { method: "item/started", params: { threadId: "T" } },
      { method: "thread/started", params: { thread: { id: "T" } } },
      { id: 0, method: "execCommandApproval", params: { conversationId: "T" } },
      { method: "turn/completed", params: { threadId: "U" } },
    );
    assert.deepEqual(await methods(t, 3), ["item/started", "thread/started", "execCommandApproval"]);
    assert.deepEqual(await methods(u, 1), ["turn/completed"]);
    assert.equal(await nothing(t), undefined);
    assert.equal(await nothing(u), undefined);
  });

  test("about no thread reach every feed", async () => {
    const { talk, codex } = start();
    const feeds = [talk.feed("T"), talk.feed("U")];
    codex.say(
      { method: "account/rateLimits/updated", params: {} },
      { method: "warning", params: { threadId: null } },
    );
    for (const feed of feeds)
      assert.deepEqual(await methods(feed, 2), ["account/rateLimits/updated", "warning"]);
  });

  test("that come before their feed is opened wait for it, in order with the later ones", async () => {
    const { talk, codex } = start();
    const answer = talk.request("thread/start", {}, soon);
    codex.say(
      { id: 1, result: { thread: { id: "T" } } },
      { method: "thread/started", params: { thread: { id: "T" } } },
      { id: 0, method: "item/tool/call", params: { threadId: "T" } },
      { method: "item/started", params: { threadId: "T" } },
    );
    await answer;
    await settled();
    const feed = talk.feed("T");
    codex.say({ method: "item/completed", params: { threadId: "T" } });
    assert.deepEqual(await methods(feed, 4), [
      "thread/started",
      "item/tool/call",
      "item/started",
      "item/completed",
    ]);
  });

  test("of a thread can be read in one place only, until that is closed", () => {
    const { talk } = start();
    const feed = talk.feed("T");
    assert.throws(() => talk.feed("T"), /being read already/);
    feed[Symbol.dispose]();
    talk.feed("T");
  });

  test("of a thread that nobody reads are dropped in the end, and counted", async () => {
    const { talk, codex } = start();
    for (let n = 0; n < 600; n += 1) codex.say({ method: "item/started", params: { threadId: "T" } });
    await settled();
    assert.equal(talk.counts().unclaimed, 88);
  });

  test("are read on while nobody takes them", async () => {
    const { talk, codex } = start();
    talk.feed("T");
    for (let n = 0; n < 2_000; n += 1) codex.say({ method: "item/completed", params: { threadId: "T" } });
    const answer = talk.request("thread/read", {}, soon);
    codex.say({ id: 1, result: "alive" });
    assert.equal(await answer, "alive");
  });
});

describe("a request of codex", () => {
  test("is answered once, with the id it came with, also if that is 0", async () => {
    const { talk, codex } = start();
    const feed = talk.feed("T");
    codex.say({ id: 0, method: "item/tool/call", params: { threadId: "T" } });
    const frame = (await feed.next(never)) as RequestFrame;
    assert.equal(frame.id, 0);
    frame.respond({ success: true });
    frame.respond({ success: false });
    frame.fail(-32601, "no");
    await settled();
    assert.deepEqual(codex.sent, [{ id: 0, result: { success: true } }]);
  });

  test("can be refused with a code and words", async () => {
    const { talk, codex } = start();
    const feed = talk.feed("T");
    codex.say({ id: "x", method: "item/mystery", params: { threadId: "T" } });
    ((await feed.next(never)) as RequestFrame).fail(-32601, "unknown here");
    await settled();
    assert.deepEqual(codex.sent, [{ id: "x", error: { code: -32601, message: "unknown here" } }]);
  });

  test("about a thread that nobody reads is refused after two seconds", async () => {
    const { codex, clock } = start();
    codex.say({ id: 7, method: "item/tool/call", params: { threadId: "T" } });
    await clock.advance(1_999);
    assert.deepEqual(codex.sent, []);
    await clock.advance(1);
    assert.partialDeepStrictEqual(codex.sent, [{ id: 7, error: { code: -32603 } }]);
  });

  test("about no thread is refused at once, if nobody is there for those", async () => {
    const { codex } = start();
    codex.say(
      { id: 1, method: "account/chatgptAuthTokens/refresh", params: {} },
      { id: 2, method: "currentTime/read", params: { threadId: "T" } },
      { id: 3, method: "mystery" },
    );
    await settled();
    assert.deepEqual(codex.sent.map(codeOf).toSorted(), ["1 -32601", "2 -32601", "3 -32601"]);
  });

  test("about no thread is answered by whoever is there for those, whatever thread it names", async () => {
    const { talk, codex } = start({
      onUnscopedRequest({ method }) {
        if (method === "currentTime/read") return { now: 5 };
        throw new RpcError(-32000, "not ours");
      },
    });
    talk.feed("T");
    codex.say(
      { id: 1, method: "currentTime/read", params: { threadId: "T" } },
      { id: 2, method: "attestation/generate", params: {} },
    );
    await settled();
    assert.deepEqual(codex.sent, [
      { id: 1, result: { now: 5 } },
      { id: 2, error: { code: -32000, message: "not ours" } },
    ]);
  });
});

describe("a request of ours", () => {
  test("rejects with codex's words", async () => {
    const { talk, codex } = start();
    const answer = talk.request("thread/resume", {}, soon);
    codex.say({ error: { code: -32600, message: "no rollout found" }, id: 1 });
    await assert.rejects(
      answer,
      (error) => error instanceof RpcError && error.message === "no rollout found",
    );
  });

  test("that is not answered in time says so, and a late answer is only counted", async () => {
    const { talk, codex, clock } = start();
    const answer = talk.request("turn/start", {}, { signal: never, timeoutMs: 10_000 });
    const rejected = assert.rejects(
      answer,
      (error) => error instanceof RequestTimedOut && /turn\/start within 10 seconds/.test(error.message),
    );
    await clock.advance(10_000);
    await rejected;
    codex.say({ id: 1, result: {} });
    await settled();
    assert.equal(talk.counts().strayReplies, 1);
    assert.equal(clock.pending(), 0);
  });

  test("ends with its signal", async () => {
    const { talk, clock } = start();
    const stop = new AbortController();
    const answer = talk.request("thread/read", {}, { ...soon, signal: stop.signal });
    const rejected = assert.rejects(answer, /enough/);
    stop.abort(new Error("enough"));
    await rejected;
    await settled();
    assert.equal(clock.pending(), 0);
    await assert.rejects(talk.request("thread/read", {}, { ...soon, signal: stop.signal }), /enough/);
  });

  test("is asked again while codex is overloaded, five times at most", async () => {
    const { talk, codex, clock } = start();
    const outcome = assert.rejects(talk.request("turn/start", {}, soon), /overloaded/);
    for (let id = 1; id <= 5; id += 1) {
      while (codex.sent.length < id) await clock.advance(100);
      codex.say({ id, error: { code: -32001, message: "Server overloaded; retry later." } });
      await settled();
    }
    await outcome;
    assert.ok(clock.monotonic() <= 20_000);
    assert.equal(codex.sent.length, 5);
  });

  test("that is asked again gets the answer in the end", async () => {
    const { talk, codex, clock } = start();
    const answer = talk.request("turn/start", { a: 1 }, soon);
    codex.say({ id: 1, error: { code: -32001, message: "Server overloaded; retry later." } });
    await clock.advance(1_000);
    codex.say({ id: 2, result: "fine" });
    assert.equal(await answer, "fine");
    assert.deepEqual(codex.sent, [
      { id: 1, method: "turn/start", params: { a: 1 } },
      { id: 2, method: "turn/start", params: { a: 1 } },
    ]);
  });
});

describe("the end", () => {
  test("of the process settles everything in one tick: requests, feeds, the connection", async () => {
    const { talk, codex, clock } = start();
    const [t, u] = [talk.feed("T"), talk.feed("U")];
    const overloaded = talk.request("turn/start", {}, soon);
    codex.say({ id: 1, error: { code: -32001, message: "overloaded" } });
    await settled();
    const waiting = [overloaded, talk.request("a", {}, soon), talk.request("b", {}, soon)];
    const outcomes = Promise.allSettled(waiting);
    const frames = [t.next(never), u.next(never)];
    codex.exit({ code: 3, stderrTail: "Error: the disk is full\n" });
    await settled();
    const exit = { code: 3, signal: null, stderrTail: "Error: the disk is full\n", reason: "exit" };
    const last = Symbol("not settled in that tick");
    const first = async <T>(promise: Promise<T>) => Promise.race([promise, last]);
    assert.deepEqual(await first(talk.gone), exit);
    for (const frame of frames) assert.deepEqual(await first(frame), { kind: "gone", exit });
    for (const outcome of (await first(outcomes)) as PromiseSettledResult<unknown>[]) {
      assert.ok(outcome.status === "rejected" && outcome.reason instanceof AppServerGone);
      assert.deepEqual(outcome.reason.gone, exit);
      assert.match(outcome.reason.message, /exit code 3\. Its last words: Error: the disk is full/);
    }
    assert.equal(talk.alive, false);
    assert.equal(clock.pending(), 0);
  });

  test("comes after the last frame, even if the process was gone before it was read", async () => {
    const { talk, codex } = start();
    const feed = talk.feed("T");
    codex.say({ method: "turn/completed", params: { threadId: "T" } });
    codex.exit({ code: 0 });
    assert.deepEqual(await methods(feed, 2), ["turn/completed", "gone"]);
  });

  test("is told to feeds and requests that come later", async () => {
    const { talk, codex } = start();
    codex.exit({ signal: "SIGKILL" });
    const { signal } = await talk.gone;
    assert.equal(signal, "SIGKILL");
    assert.equal((await talk.feed("T").next(never))?.kind, "gone");
    await assert.rejects(talk.request("a", {}, soon), AppServerGone);
    talk.notify("initialized");
    await settled();
    assert.deepEqual(codex.sent, []);
  });

  test("before the first answer is told from one that comes later", async () => {
    for (const starting of [true, false]) {
      const { talk, codex } = start();
      const first = talk.request("initialize", {}, soon).catch((error: unknown) => error);
      if (!starting) codex.say({ id: 1, result: {} });
      await settled();
      codex.exit({ code: 101, stderrTail: "panicked" });
      await talk.gone;
      const error = starting ? await first : await talk.request("a", {}, soon).catch((late: unknown) => late);
      assert.ok(error instanceof AppServerGone);
      assert.equal(error.starting, starting);
    }
  });

  test("of the output alone is the end: a process that lingers is killed after a second", async () => {
    const { talk, codex, clock } = start();
    codex.closeOutput();
    await clock.advance(999);
    assert.equal(codex.kills, 0);
    await clock.advance(1);
    assert.partialDeepStrictEqual(await talk.gone, { reason: "exit", signal: "SIGKILL" });
    assert.equal(codex.kills, 1);
  });

  test("comes with a line that is too long, and the process is killed", async () => {
    const { talk, codex } = start();
    const pending = assert.rejects(talk.request("a", {}, soon), AppServerGone);
    codex.breakOutput(new LineTooLongError(5));
    const exit = await talk.gone;
    assert.deepEqual(exit, { code: null, signal: null, stderrTail: "until now", reason: "line-too-long" });
    await pending;
    assert.equal(codex.kills, 1);
  });

  test("comes when the process does not take what is written, and the process is killed", async () => {
    const { talk, codex } = start();
    codex.refuseInput(new Error("full"));
    await assert.rejects(talk.request("a", {}, soon), /does not accept input/);
    assert.equal((await talk.gone).reason, "write-stuck");
    assert.equal(codex.kills, 1);
  });

  test("by closing settles everything and leaves the process to its owner", async () => {
    const { talk, codex } = start();
    const pending = assert.rejects(talk.request("a", {}, soon), /was closed/);
    talk.close();
    talk.close();
    assert.equal((await talk.gone).reason, "closed");
    await pending;
    assert.equal(codex.kills, 0);
  });
});

describe("lines that are no messages", () => {
  test("are skipped and counted, a hundred within a second and any number over time", async () => {
    const { talk, codex, clock } = start();
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 100; n += 1) codex.sayLine("not json");
      await clock.advance(1_001);
    }
    const answer = talk.request("a", {}, soon);
    codex.say({ id: 1, result: "still here" });
    assert.equal(await answer, "still here");
    assert.equal(talk.counts().badLines, 300);
  });

  test("that come in a flood end the connection, and one of them is shown", async () => {
    const { talk, codex } = start();
    for (let n = 0; n < 101; n += 1) codex.sayLine(`garbage ${n}`);
    assert.deepEqual(await talk.gone, {
      code: null,
      signal: null,
      stderrTail: "until now\n[stdout] garbage 100\n",
      reason: "garbage",
    });
    assert.equal(codex.kills, 1);
  });
});

function start(options: Partial<ConnectionOptions> = {}) {
  const codex = fakeWire();
  const clock = fakeClock();
  return { codex, clock, talk: connection({ wire: codex.wire, clock, ...options }) };
}

async function methods(feed: ThreadFeed, count: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) names.push(nameOf(await feed.next(never)));
  return names;
}

const nameOf = (frame: Frame | undefined): string =>
  frame === undefined ? "none" : frame.kind === "gone" ? "gone" : frame.method;

/** What comes without waiting. */
async function nothing(feed: ThreadFeed): Promise<Frame | undefined> {
  const stop = new AbortController();
  const next = feed.next(stop.signal);
  await settled();
  stop.abort();
  return next;
}

const codeOf = (message: Readonly<Record<string, unknown>>): string =>
  `${String(message["id"])} ${(message["error"] as { code: number }).code}`;
