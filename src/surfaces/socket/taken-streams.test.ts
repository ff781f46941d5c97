import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import type { PeerClosedError } from "../../lib/rpc/rpc-peer.ts";
import { takenStreams } from "./taken-streams.ts";

function world() {
  const closed = Promise.withResolvers<PeerClosedError>();
  const sent: string[] = [];
  const given: unknown[] = [];
  const streams = takenStreams({
    request: async () => null,
    notify(method, params) {
      sent.push(method);
      if (method === "credit") given.push(params);
    },
    closed: closed.promise,
    close: () => {},
    counts: () => ({ badLines: 0, strayReplies: 0 }),
  });
  return { streams, sent, given };
}

describe("streams that come in over the socket", () => {
  test("leave nothing at the signal of whoever asked, however they end", async () => {
    const { streams, sent } = world();
    const { signal } = new AbortController();
    for (const end of [
      () => streams.take("end", { stream: 1 }),
      (read: AsyncIterableIterator<unknown>) => read.return?.(),
    ]) {
      const read = streams.open("sessions.follow", {}, signal);
      assert.equal(getEventListeners(signal, "abort").length, 1);
      await end(read);
      assert.equal(getEventListeners(signal, "abort").length, 0);
      assert.equal((await read.next()).done, true);
    }
    assert.deepEqual(sent, ["leave"]);
  });

  test("say that they were taken when what was to be shown was, and what was said on this side is none of them", async () => {
    const { streams, sent, given } = world();
    const read = streams.open("sessions.follow", {}, undefined);
    const values = [{}, { receipt: true }];
    for (const value of values) streams.take("next", { stream: 1, value });
    streams.say("sessions.follow", () => ({}));
    await read.next();
    await read.next();
    assert.deepEqual(sent, []);
    await read.next();
    assert.deepEqual(given, [{ stream: 1, more: 2 }]);
  });

  test("carry what is said on this side, by name", async () => {
    const { streams } = world();
    const read = streams.open("sessions.follow", { session: "ses_1" }, undefined);
    streams.open("events.follow", {}, undefined);
    assert.equal(
      streams.say("sessions.follow", (input) => ({ said: input })),
      1,
    );
    assert.deepEqual(await read.next(), { done: false, value: { said: { session: "ses_1" } } });
  });
});
