import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { NotificationFrame } from "./frame.ts";
import { frameQueue } from "./frame-queue.ts";
import type { FrameQueue, Queued } from "./frame-queue.ts";

describe("a queue of frames", () => {
  test("keeps their order, also over thousands that are taken while others come", () => {
    const queue = frameQueue(1000);
    const taken: unknown[] = [];
    for (let n = 0; n < 5000; n += 1) {
      queue.push(note("item/completed", { n }), 10);
      if (n % 3 > 0) taken.push(queue.shift());
    }
    taken.push(...rest(queue));
    assert.deepEqual(
      taken.map((frame) => ((frame as NotificationFrame).params as { n: number }).n),
      Array.from({ length: 5000 }, (_, n) => n),
    );
  });

  test("makes one of deltas that follow each other, and only of those", () => {
    const queue = frameQueue(10_000);
    for (const [item, text] of [
      ["a", "1"],
      ["a", "2"],
      ["b", "3"],
      ["b", "4"],
      ["a", "5"],
    ] as const)
      queue.push(delta(item, text), 100);
    queue.push(note("item/completed", { itemId: "a" }), 100);
    queue.push(delta("a", "6"), 100);
    assert.deepEqual(rest(queue).map(said), ["a:12", "b:34", "a:5", "item/completed", "a:6"]);
  });

  test("joins no deltas that differ in anything but their text", () => {
    const first = { itemId: "a", delta: "x", summaryIndex: 0 };
    const others = [
      { ...first, summaryIndex: 1 },
      { itemId: "a", delta: "x" },
      { itemId: "a", delta: 1 },
      "text",
    ];
    for (const other of others) {
      const queue = frameQueue(10_000);
      queue.push(note("item/reasoning/summaryTextDelta", first), 10);
      queue.push(note("item/reasoning/summaryTextDelta", other), 10);
      assert.deepEqual(
        rest(queue).map((frame) => frame.params),
        [first, other],
      );
    }
  });

  test("drops deltas beyond its bound, and takes them again when there is room", () => {
    const queue = frameQueue(1000);
    for (let n = 0; n < 40; n += 1) queue.push(delta(String(n), "text"), 100);
    assert.equal(queue.dropped, 30);
    queue.shift();
    queue.push(delta("after", "text"), 100);
    assert.equal(queue.dropped, 30);
    assert.equal(rest(queue).map(said).at(-1), "after:text");
  });

  test("bounds a single growing delta as well", () => {
    const queue = frameQueue(1000);
    for (let n = 0; n < 100; n += 1) queue.push(delta("a", "x".repeat(50)), 100);
    const [only, ...others] = rest(queue);
    assert.deepEqual(others, []);
    assert.ok(only !== undefined && textOf(only).length <= 1000);
    assert.ok(queue.dropped > 0);
  });

  test("loses nothing but deltas, and no text that fits, whatever comes in which order", () => {
    const frame = fc.oneof(
      fc.record({ kind: fc.constant("delta"), item: fc.constantFrom("a", "b"), text: fc.string() }),
      fc.record({ kind: fc.constantFrom("item", "request"), n: fc.nat() }),
      fc.constant({ kind: "take" }),
    );
    fc.assert(
      fc.property(fc.array(frame), fc.constantFrom(200, 1_000_000), (script, bound) => {
        const queue = frameQueue(bound);
        const came: Queued[] = [];
        const seen: Queued[] = [];
        for (const step of script) {
          const next = step.kind === "take" ? undefined : asFrame(step);
          if (next === undefined) seen.push(...[queue.shift()].flatMap((taken) => taken ?? []));
          if (next !== undefined) queue.push(next, 100);
          came.push(...(next === undefined ? [] : [next]));
        }
        seen.push(...rest(queue));
        assert.deepEqual(seen.filter(isKept), came.filter(isKept));
        if (queue.dropped === 0) assert.deepEqual(joined(seen), joined(came));
      }),
    );
  });
});

const note = (method: string, params: unknown): NotificationFrame => ({
  kind: "notification",
  method,
  params,
});
const delta = (itemId: string, text: string): NotificationFrame =>
  note("item/agentMessage/delta", { threadId: "T", itemId, delta: text });

function rest(queue: FrameQueue): Queued[] {
  const frames: Queued[] = [];
  for (let frame = queue.shift(); frame !== undefined; frame = queue.shift()) frames.push(frame);
  return frames;
}

const isKept = ({ method }: Queued): boolean => !method.endsWith("delta");

function said(frame: Queued): string {
  const { itemId, delta: text } = frame.params as { itemId: string; delta?: string };
  return text === undefined ? frame.method : `${itemId}:${text}`;
}

/** All text of an item between two frames that are kept. */
const joined = (frames: readonly Queued[]): string =>
  frames
    .map((frame, at) =>
      isKept(frame) ? `|${frame.method}|` : sameItem(frames, at) ? textOf(frame) : `#${said(frame)}`,
    )
    .join("");
const sameItem = (frames: readonly Queued[], at: number): boolean => {
  const before = frames[at - 1];
  return before !== undefined && !isKept(before) && itemOf(before) === itemOf(frames[at]!);
};
const itemOf = (frame: Queued): string => (frame.params as { itemId: string }).itemId;
const textOf = (frame: Queued): string => (frame.params as { delta: string }).delta;

function asFrame(step: { kind: string; item?: string; text?: string; n?: number }): Queued {
  if (step.kind === "delta") return delta(step.item ?? "", step.text ?? "");
  if (step.kind === "item") return note("item/completed", { n: step.n });
  return { kind: "request", id: step.n ?? 0, method: "item/tool/call", params: {}, respond() {}, fail() {} };
}
