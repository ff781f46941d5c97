import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { RpcError, methodNotFound } from "./rpc-message.ts";
import { PeerClosedError, rpcPeer } from "./rpc-peer.ts";
import type { RpcPeerOptions } from "./rpc-peer.ts";

describe("a request of ours", () => {
  test("is one line without a jsonrpc field, and resolves with its result", async () => {
    const { peer, sent, say } = start();
    const answer = peer.request("sum", { a: 1 }, never);
    assert.deepEqual(sent, ['{"id":1,"method":"sum","params":{"a":1}}\n']);
    say({ jsonrpc: "2.0", id: 1, result: { total: 3 } });
    assert.deepEqual(await answer, { total: 3 });
  });

  test("rejects with the code, words and data of an error answer", async () => {
    const { peer, say } = start();
    const answer = peer.request("sum", {}, never);
    say({ id: 1, error: { code: -32001, message: "busy", data: { wait: 2 } } });
    await assert.rejects(answer, (error) => {
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.code, error.message, error.data], [-32001, "busy", { wait: 2 }]);
      return true;
    });
  });

  test("is not resolved by the same id of another type, nor by an id nobody uses", async () => {
    const { peer, say } = start();
    const answer = peer.request("sum", {}, never);
    say(
      { id: "1", result: "wrong" },
      { id: 0, result: "wrong" },
      { id: 99, error: { code: 1, message: "wrong" } },
    );
    say({ id: 1, result: "right" });
    assert.equal(await answer, "right");
    assert.deepEqual(peer.counts(), { badLines: 0, strayReplies: 3 });
  });

  test("gets its own answer whatever the order of the answers, and the first of two", async () => {
    const orders = fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6, maxLength: 6 });
    const property = fc.asyncProperty(
      orders,
      fc.array(fc.integer({ min: 0, max: 8 })),
      async (order, extra) => {
        const { peer, say } = start();
        const answers = order.map(() => peer.request("echo", {}, never));
        for (const id of order)
          say({ id, result: `answer ${id}` }, ...extra.map((other) => ({ id: `${other}` })));
        for (const id of order) say({ id, result: "again" });
        assert.deepEqual(
          await Promise.all(answers),
          order.toSorted().map((id) => `answer ${id}`),
        );
        await tick();
        assert.equal(peer.counts().strayReplies, order.length * (extra.length + 1));
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test("that is aborted rejects with the reason, and its late answer is ignored", async () => {
    const { peer, say } = start();
    const stop = new AbortController();
    const aborted = peer.request("slow", {}, stop.signal);
    const other = peer.request("quick", {}, stop.signal);
    say({ id: 2, result: "done" });
    assert.equal(await other, "done");
    stop.abort(new Error("took too long"));
    await assert.rejects(aborted, /took too long/);
    say({ id: 1, result: "late" });
    await tick();
    assert.equal(peer.counts().strayReplies, 1);
  });

  test("with an aborted signal is not sent", async () => {
    const { peer, sent } = start();
    await assert.rejects(peer.request("sum", {}, AbortSignal.abort(new Error("no"))), /no/);
    assert.deepEqual(sent, []);
  });

  test("that is no JSON rejects, and the peer goes on", async () => {
    const { peer, say } = start();
    await assert.rejects(peer.request("sum", { big: 1n }, never), TypeError);
    const answer = peer.request("sum", {}, never);
    say({ id: 2, result: "fine" });
    assert.equal(await answer, "fine");
  });
});

describe("a request of theirs", () => {
  test("is answered with its id unchanged, whatever its type", async () => {
    const { sent, say } = start({ onRequest: ({ method }) => method.toUpperCase() });
    say({ id: 0, method: "a" }, { id: "x", method: "b" }, { id: 7, method: "c", params: null });
    await tick();
    assert.deepEqual(sent.toSorted(), [
      '{"id":"x","result":"B"}\n',
      '{"id":0,"result":"A"}\n',
      '{"id":7,"result":"C"}\n',
    ]);
  });

  test("without a result is answered with null", async () => {
    const { sent, say } = start({ onRequest: () => undefined });
    say({ id: 1, method: "a" });
    await tick();
    assert.deepEqual(sent, ['{"id":1,"result":null}\n']);
  });

  test("that nobody handles is refused at once", async () => {
    const { sent, say } = start();
    say({ id: 5, method: "mystery" });
    await tick();
    assert.deepEqual(JSON.parse(sent[0]!), {
      id: 5,
      error: { code: -32601, message: "Method not found: mystery" },
    });
  });

  test("whose handler throws an RpcError gets that error", async () => {
    const { sent, say, handlerErrors } = start({
      onRequest: ({ method }) => {
        if (method === "unknown") throw methodNotFound(method);
        throw new RpcError(-32000, "not now", { why: "tired" });
      },
    });
    say({ id: 1, method: "unknown" }, { id: 2, method: "nap" });
    await tick();
    assert.equal(JSON.parse(sent[0]!).error.code, -32601);
    assert.deepEqual(JSON.parse(sent[1]!).error, {
      code: -32000,
      message: "not now",
      data: { why: "tired" },
    });
    assert.deepEqual(handlerErrors, []);
  });

  test("whose handler fails otherwise gets an answer without the words of the failure", async () => {
    const failures = [new Error("secret path /x"), "secret text", new RpcError(1, "secret", { big: 1n })];
    for (const failure of failures) {
      const { sent, say, handlerErrors } = start({ onRequest: () => Promise.reject(failure) });
      say({ id: 1, method: "a" });
      await tick();
      assert.deepEqual(sent, ['{"id":1,"error":{"code":-32603,"message":"Internal error"}}\n']);
      assert.deepEqual(handlerErrors, [failure]);
    }
  });

  test("whose result is no JSON gets one answer, an error", async () => {
    const { sent, say, handlerErrors } = start({ onRequest: () => ({ big: 1n }) });
    say({ id: 1, method: "a" });
    await tick();
    assert.equal(sent.length, 1);
    assert.equal(JSON.parse(sent[0]!).error.code, -32603);
    assert.equal(handlerErrors.length, 1);
  });

  test("that takes long holds up nothing else", async () => {
    const first = Promise.withResolvers<string>();
    const heard: string[] = [];
    const { peer, sent, say } = start({
      onRequest: ({ id }) => (id === "slow" ? first.promise : "quick"),
      onNotification: async (method) => {
        heard.push(method);
        await new Promise(() => {});
      },
    });
    const answer = peer.request("sum", {}, never);
    say({ id: "slow", method: "a" }, { method: "one" }, { method: "two" }, { id: "fast", method: "b" });
    say({ id: 1, result: "through" });
    assert.equal(await answer, "through");
    assert.deepEqual(heard, ["one", "two"]);
    first.resolve("at last");
    await tick();
    assert.deepEqual(sent.slice(1), [
      '{"id":"fast","result":"quick"}\n',
      '{"id":"slow","result":"at last"}\n',
    ]);
  });

  test("still open when the peer closes sees its signal abort and gets no answer", async () => {
    const { peer, sent, say, handlerErrors } = start({
      onRequest: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    say({ id: 1, method: "ask" });
    await tick();
    peer.close(new Error("over"));
    await tick();
    assert.deepEqual([sent, handlerErrors], [[], []]);
  });
});

describe("closing", () => {
  const ways: readonly (readonly [string, (world: World) => void, RegExp])[] = [
    ["the input ends", (world) => world.end(), /the other side ended it/],
    ["the input fails", (world) => world.fail(new Error("exit code 3")), /exit code 3/],
    ["we close", (world) => world.peer.close("shutting down"), /shutting down/],
  ];

  for (const [name, act, reason] of ways) {
    test(`rejects everything pending in the same tick when ${name}`, async () => {
      const world = start();
      const rejections: unknown[] = [];
      for (let call = 0; call < 3; call += 1)
        world.peer.request("wait", {}, never).catch((error: unknown) => rejections.push(error));
      await tick();
      act(world);
      await tick();
      assert.equal(rejections.length, 3);
      for (const error of rejections) {
        assert.ok(error instanceof PeerClosedError);
        assert.match(error.message, reason);
      }
      assert.match((await world.peer.closed).message, reason);
    });
  }

  test("rejects later requests at once and writes nothing more", async () => {
    const { peer, sent } = start();
    peer.close(new Error("gone"));
    await assert.rejects(peer.request("sum", {}, never), PeerClosedError);
    peer.notify("hello");
    assert.deepEqual(sent, []);
  });

  test("keeps the first reason, as the cause", async () => {
    const { peer } = start();
    const reason = new Error("first");
    peer.close(reason);
    peer.close(new Error("second"));
    assert.equal((await peer.closed).cause, reason);
  });

  test("follows a failed write, thrown or rejected", async () => {
    const writes: RpcPeerOptions["write"][] = [
      () => {
        throw new Error("pipe full");
      },
      () => Promise.reject(new Error("pipe full")),
    ];
    for (const write of writes) {
      const { peer } = start({ write });
      await assert.rejects(peer.request("sum", {}, never), /pipe full/);
      assert.ok((await peer.closed) instanceof PeerClosedError);
    }
  });

  test("stops reading", async () => {
    const heard: string[] = [];
    const { peer, say } = start({ onNotification: (method) => void heard.push(method) });
    say({ method: "before" });
    await tick();
    peer.close();
    say({ method: "after" });
    await tick();
    assert.deepEqual(heard, ["before"]);
  });
});

describe("lines that are no message", () => {
  test("go to onBadLine and never end the conversation", async () => {
    const bad: string[] = [];
    const { peer, sayLine, say } = start({ onBadLine: (line) => void bad.push(line) });
    const lines = ["{", "[]", '{"id":null}'];
    for (const line of [...lines, "", "  "]) sayLine(line);
    const answer = peer.request("sum", {}, never);
    say({ id: 1, result: "still here" });
    assert.equal(await answer, "still here");
    assert.deepEqual(bad, lines);
    assert.equal(peer.counts().badLines, lines.length);
  });

  test("of any content never end the conversation", async () => {
    const noise = fc.array(fc.oneof(fc.json(), fc.string({ unit: fc.anyCharacter }), almostMessage), {
      maxLength: 10,
    });
    const property = fc.asyncProperty(noise, async (lines) => {
      const { peer, sayLine, say, handlerErrors } = start({ onRequest: () => "ok" });
      const answer = peer.request("sum", {}, never);
      for (const line of lines) sayLine(line);
      say({ id: 1, result: "still here" });
      assert.equal(await answer, "still here");
      assert.deepEqual(handlerErrors, []);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("nor handlers that throw, end it", async () => {
    const { peer, sayLine, say, handlerErrors } = start({
      onNotification: (method) => {
        if (method === "sync") throw new Error("in notification");
        return Promise.reject(new Error("in notification, later"));
      },
      onBadLine: () => {
        throw new Error("in bad line");
      },
    });
    say({ method: "sync" }, { method: "async" });
    sayLine("garbage");
    const answer = peer.request("sum", {}, never);
    say({ id: 1, result: "still here" });
    assert.equal(await answer, "still here");
    assert.deepEqual(handlerErrors.map((error) => (error as Error).message).toSorted(), [
      "in bad line",
      "in notification",
      "in notification, later",
    ]);
  });
});

test("a notification has no id, and two peers understand each other", async () => {
  const heard: unknown[] = [];
  const left = start({ onNotification: (method, params) => void heard.push([method, params]) });
  const right = rpcPeer({ input: left.outgoing(), write: left.sayLine, onNotification: () => {} });
  right.notify("hello", { from: "right" });
  right.notify("bare");
  await tick();
  assert.deepEqual(heard, [
    ["hello", { from: "right" }],
    ["bare", undefined],
  ]);
  await assert.rejects(right.request("anything", {}, never), /Method not found: anything/);
});

const never = new AbortController().signal;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Looks like a message and is wrong in one place. Ids start at 2: the test waits for the answer to 1. */
const almostMessage = fc
  .record(
    {
      id: fc.oneof(fc.integer({ min: 2 }), fc.string(), fc.constant(null), fc.boolean()),
      method: fc.oneof(fc.string(), fc.integer()),
      params: fc.jsonValue(),
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((message) => JSON.stringify(message));

type World = ReturnType<typeof start>;

function start(overrides: Partial<RpcPeerOptions> = {}) {
  const input = queue();
  const output = queue();
  const sent: string[] = [];
  const handlerErrors: unknown[] = [];
  const peer = rpcPeer({
    input: input.read(),
    write: (line) => {
      sent.push(line);
      output.push(line.trimEnd());
    },
    onNotification: () => {},
    onHandlerError: (error) => void handlerErrors.push(error),
    ...overrides,
  });
  return {
    peer,
    sent,
    handlerErrors,
    outgoing: output.read,
    sayLine: (line: string) => input.push(line.trimEnd()),
    say: (...messages: object[]) => messages.forEach((message) => input.push(JSON.stringify(message))),
    end: () => input.end(),
    fail: (error: Error) => input.end(error),
  };
}

/** A source of lines that a test feeds. */
function queue() {
  const waiting: string[] = [];
  let ended: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;
  return {
    push(line: string) {
      waiting.push(line);
      wake?.();
    },
    end(error?: Error) {
      ended = error ? { error } : {};
      wake?.();
    },
    async *read(): AsyncGenerator<string> {
      for (;;) {
        const line = waiting.shift();
        if (line !== undefined) yield line;
        else if (ended?.error) throw ended.error;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
