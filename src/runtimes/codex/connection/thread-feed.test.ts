import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fakeClock } from "../../../../test/fakes/fake-clock.ts";
import { settled } from "./fake-wire.suite.ts";
import type { NotificationFrame, RequestFrame } from "./frame.ts";
import { threadFeed } from "./thread-feed.ts";

const never = new AbortController().signal;
const exit = { code: 1, signal: null, stderrTail: "", reason: "exit" } as const;

describe("a feed", () => {
  test("gives frames in order, those that wait and those that are waited for", async () => {
    const { feed, push } = start();
    push(note(1), 1, true);
    push(note(2), 1, true);
    assert.deepEqual([await feed.next(never), await feed.next(never)], [note(1), note(2)]);
    const third = feed.next(never);
    push(note(3), 1, true);
    push(note(4), 1, true);
    assert.deepEqual([await third, await feed.next(never)], [note(3), note(4)]);
  });

  test("loses no frame by an abort, before it, in the same tick, or after it", async () => {
    const { feed, push } = start();
    push(note(1), 1, true);
    assert.equal(await feed.next(AbortSignal.abort()), undefined);
    assert.deepEqual(await feed.next(never), note(1));

    const stop = new AbortController();
    const waited = feed.next(stop.signal);
    stop.abort();
    push(note(2), 1, true);
    assert.equal(await waited, undefined);
    assert.deepEqual(await feed.next(never), note(2));

    const stopLater = new AbortController();
    const taken = feed.next(stopLater.signal);
    push(note(3), 1, true);
    stopLater.abort();
    assert.deepEqual(await taken, note(3));
  });

  test("refuses a second reader", async () => {
    const { feed } = start();
    void feed.next(never);
    await assert.rejects(feed.next(never), /Two readers/);
  });

  test("ends with the end of codex, after every frame, and again and again", async () => {
    const { feed, push, end } = start();
    push(note(1), 1, true);
    end(exit);
    assert.deepEqual(await feed.next(never), note(1));
    assert.deepEqual(await feed.next(never), { kind: "gone", exit });
    assert.deepEqual(await feed.next(never), { kind: "gone", exit });
    const other = start();
    const waiting = other.feed.next(never);
    other.end(exit);
    assert.deepEqual(await waiting, { kind: "gone", exit });
  });

  test("knows when its thread was last heard of, and leaves out what is about all", async () => {
    const { feed, push, clock } = start();
    await clock.advance(10);
    assert.equal(feed.lastFrameMs, 0);
    push(note(1), 1, true);
    await clock.advance(10);
    push(note(2), 1, false);
    assert.equal(feed.lastFrameMs, 10);
  });

  test("holds 8 MiB of deltas at most", () => {
    const { feed, push } = start();
    const text = "x".repeat(1024 * 1024);
    for (let n = 0; n < 12; n += 1)
      push(
        { kind: "notification", method: "item/agentMessage/delta", params: { itemId: n, delta: text } },
        text.length,
        true,
      );
    assert.equal(feed.droppedDeltas, 4);
  });
});

describe("a feed that is disposed", () => {
  test("lets its reader go and its thread free, once", async () => {
    let freed = 0;
    const { feed } = start(() => (freed += 1));
    const waiting = feed.next(never);
    feed[Symbol.dispose]();
    feed[Symbol.dispose]();
    assert.equal(await waiting, undefined);
    assert.equal(await feed.next(never), undefined);
    assert.equal(freed, 1);
  });

  test("refuses the requests that have no answer, taken or not, and no others", async () => {
    const { feed, push } = start();
    const answers: string[] = [];
    for (const id of [0, 1, 2, 3]) push(request(id, answers), 1, true);
    const frames = [await feed.next(never), await feed.next(never), await feed.next(never)];
    (frames[0] as RequestFrame).respond("yes");
    (frames[1] as RequestFrame).fail(-32601, "unknown");
    feed[Symbol.dispose]();
    await settled();
    assert.deepEqual(answers, ["0 yes", "1 -32601", "2 -32603", "3 -32603"]);
  });
});

function start(onDispose: () => void = () => {}) {
  const clock = fakeClock();
  return { clock, ...threadFeed({ clock, onDispose }) };
}

const note = (n: number): NotificationFrame => ({
  kind: "notification",
  method: "item/started",
  params: { n },
});

const request = (id: number, answers: string[]): RequestFrame => ({
  kind: "request",
  id,
  method: "item/tool/call",
  params: {},
  respond: (result) => void answers.push(`${id} ${String(result)}`),
  fail: (code) => void answers.push(`${id} ${code}`),
});
