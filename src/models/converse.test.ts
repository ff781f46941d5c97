import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { startRawProvider, type RawReply } from "../../test/fakes/raw-provider.ts";
import { converse, type ConverseEvent } from "./converse.ts";
import { cut, good, hang, kits, sse, status } from "./matrix/kit.suite.ts";
import type { ModelRequest, Route } from "./model.ts";

const request: ModelRequest = {
  model: "m",
  instructions: "",
  messages: [{ role: "user", content: "hello" }],
  tools: [],
};

/** Everything that is said to these replies; time passes as it is asked for. */
async function talk(
  protocol: Route["protocol"],
  replies: readonly RawReply[],
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<readonly ConverseEvent[]> {
  const clock = fakeClock();
  const stop = new AbortController();
  await using server = await startRawProvider(replies);
  const route: Route = { name: "r", protocol, url: server.url, headers: {}, model: "m" };
  const events: ConverseEvent[] = [];
  if (stopAfter === 0) stop.abort();
  for await (const event of converse(route, request, { signal: stop.signal, clock, random: () => 0.5 })) {
    events.push(event);
    if (events.length === stopAfter) stop.abort();
    if (event.type === "retrying") void clock.advance(event.afterMs);
  }
  return events;
}

const typesOf = (events: readonly ConverseEvent[]): readonly string[] => events.map(({ type }) => type);

for (const protocol of ["responses", "chat"] as const) {
  const kit = kits[protocol];
  describe(`a conversation on ${protocol}`, () => {
    test("says that it tries again, when, and then the answer", async () => {
      const events = await talk(protocol, [
        status(429, { message: "slow" }, { "retry-after": "2" }),
        good(kit),
      ]);
      assert.deepEqual(typesOf(events), ["retrying", "delta", "item", "completed"]);
      assert.partialDeepStrictEqual(events[0], { afterMs: 2250 });
      assert.match(JSON.stringify(events[0]), /slow.*Trying again in 3 seconds/);
    });

    test("lets go of thinking that led nowhere, and numbers items once", async () => {
      const lost = sse(kit.open, kit.think("first"), kit.close());
      const events = await talk(protocol, [
        lost,
        sse(kit.open, kit.think("second"), kit.say("ok"), kit.close()),
      ]);
      const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
      assert.deepEqual(
        items.map(({ kind, item }) => [kind, item]),
        [
          ["thinking", 1],
          ["text", 2],
        ],
      );
      const places = events.flatMap((event) => (event.type === "delta" ? [event.item] : []));
      assert.deepEqual(places, [0, 1, 2]);
    });

    test("keeps the thinking of an answer that stays empty", async () => {
      const events = await talk(protocol, [sse(kit.open, kit.think("hm"), kit.close())]);
      assert.deepEqual(typesOf(events), ["delta", "retrying", "delta", "item", "failed"]);
    });

    test("is stopped at any moment, and says so once and last", async () => {
      const replies = [
        status(500),
        cut(kit.open, kit.think("hm")),
        hang(kit.open, kit.think("hm"), kit.say("a"), kit.say("b")),
      ];
      for (let at = 0; at <= 6; at += 1) {
        const events = await talk(protocol, replies, at);
        assert.deepEqual(typesOf(events).slice(at), ["aborted"], `after ${at} events`);
        assert.equal(typesOf(events).indexOf("aborted"), events.length - 1);
      }
    });
  });
}
