import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Refusal } from "../../core/host.ts";
import { streamCredit } from "./protocol.ts";
import { sentStreams } from "./sent-streams.ts";

type Message = { readonly method: string; readonly number?: number; readonly failure?: { code: string } };

/** The other end of a connection, as far as it hears. */
function otherEnd() {
  const heard: Message[] = [];
  let news = Promise.withResolvers<void>();
  return {
    heard,
    notify(method: string, params: unknown): void {
      heard.push({ method, ...(params as object) });
      news.resolve();
    },
    async hears(count: number): Promise<void> {
      while (heard.length < count) {
        await news.promise;
        news = Promise.withResolvers();
      }
    },
  };
}

// oxlint-disable-next-line require-yield -- it says no before it says anything
async function* refused(): AsyncGenerator<never> {
  throw new Refusal("busy", "Not now.", "Later.");
}

/** Counts how far it was read. */
function numbers(to: number) {
  const state = { read: 0, ended: false };
  return {
    state,
    async *start(signal: AbortSignal) {
      try {
        while (state.read < to && !signal.aborted) yield (state.read += 1);
      } finally {
        state.ended = true;
      }
    },
  };
}

describe("a stream over the socket", () => {
  test("is read no further than the other end has room for, and goes on with more room", async () => {
    const end = otherEnd();
    const streams = sentStreams(end);
    const source = numbers(1000);
    streams.open(1, source.start, false);
    await end.hears(streamCredit);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(source.state.read, streamCredit);
    streams.credit(1, 10);
    await end.hears(streamCredit + 10);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(source.state.read, streamCredit + 10);
    assert.deepEqual(
      end.heard.map(({ number }) => number),
      Array.from({ length: streamCredit + 10 }, (_, at) => at + 1),
    );
    streams.credit(1, 1_000_000);
    await end.hears(2 * streamCredit + 10);
    assert.equal(source.state.read, 2 * streamCredit + 10, "nobody makes more room than there is");
    streams.end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(source.state.ended, true);
  });

  test("waits behind what is to be shown until the other end has taken all that it was sent", async () => {
    const end = otherEnd();
    const streams = sentStreams(end);
    const shown: string[] = [];
    async function* news(): AsyncGenerator<object> {
      yield {};
      yield { receipt: true };
      shown.push("the news");
      yield {};
    }
    streams.open(1, news, false);
    await end.hears(2);
    streams.credit(1, 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(shown, []);
    streams.credit(1, 1);
    await end.hears(3);
    assert.deepEqual(shown, ["the news"]);
  });

  test("that says no ends with the reason", async () => {
    const end = otherEnd();
    const streams = sentStreams(end);
    streams.open(7, refused, false);
    await end.hears(1);
    assert.partialDeepStrictEqual(end.heard, [
      { method: "end", failure: { kind: "refusal", code: "busy", message: "Not now.", next: "Later." } },
    ]);
  });
});
