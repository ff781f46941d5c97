import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import type { WireEvent } from "../wire.ts";
import { chat } from "./machine.ts";

type Chunk = Readonly<Record<string, unknown>>;

function run(...chunks: readonly (Chunk | string)[]): readonly WireEvent[] {
  let state = chat.start;
  const events = chunks.flatMap((chunk) => {
    const [next, said] = chat.step(state, {
      data: typeof chunk === "string" ? chunk : JSON.stringify(chunk),
    });
    state = next;
    return said;
  });
  return [...events, ...chat.end(state)];
}

const delta = (fields: Chunk): Chunk => ({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
const finish = (reason: string): Chunk => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const piece = (fields: Chunk, name?: string, args = ""): Chunk =>
  delta({
    tool_calls: [{ ...fields, function: { ...(name === undefined ? {} : { name }), arguments: args } }],
  });
const itemsOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));
const problemOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "problem" ? [event.problem] : []))[0];

test("thinking and text stream as deltas and finish as items, usage last", () => {
  const events = run(
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "hm" }),
    delta({ content: "Hel" }),
    delta({ content: "lo" }),
    finish("stop"),
    {
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 1 } },
    },
    "[DONE]",
  );
  assert.deepEqual(events, [
    { type: "delta", item: 0, of: "thinking", text: "hm" },
    { type: "delta", item: 1, of: "text", text: "Hel" },
    { type: "delta", item: 1, of: "text", text: "lo" },
    { type: "item", item: { kind: "thinking", item: 0, text: "hm" } },
    { type: "item", item: { kind: "text", item: 1, text: "Hello" } },
    { type: "usage", input: 9, cached: 0, output: 2, reasoning: 1 },
    { type: "completed", skipped: 0 },
  ]);
});

test("interleaved calls are put together by their place", () => {
  const events = run(
    piece({ index: 0, id: "c1" }, "read"),
    piece({ index: 1, id: "c2" }, "write"),
    piece({ index: 1 }, undefined, '{"b"'),
    piece({ index: 0 }, undefined, '{"a":1}'),
    piece({ index: 1 }, undefined, ":2}"),
    finish("tool_calls"),
    "[DONE]",
  );
  assert.deepEqual(itemsOf(events), [
    { kind: "call", item: 0, callId: "c1", name: "read", arguments: '{"a":1}' },
    { kind: "call", item: 1, callId: "c2", name: "write", arguments: '{"b":2}' },
  ]);
});

test("servers that give every call the same place, or none, are told apart by ids", () => {
  for (const place of [{ index: 0 }, {}]) {
    const events = run(
      piece({ ...place, id: "c1" }, "read", '{"a":'),
      piece(place, undefined, "1}"),
      piece({ ...place, id: "c2" }, "read", '{"a":2}'),
      finish("tool_calls"),
    );
    assert.deepEqual(
      itemsOf(events).map((item) => item.kind === "call" && [item.callId, item.arguments]),
      [
        ["c1", '{"a":1}'],
        ["c2", '{"a":2}'],
      ],
    );
  }
});

test("a call without id gets one, and without arguments an empty object", () => {
  const events = run(piece({ index: 0 }, "now"), finish("tool_calls"), "[DONE]");
  assert.deepEqual(itemsOf(events), [
    { kind: "call", item: 0, callId: "call_0", name: "now", arguments: "{}" },
  ]);
});

test("a name that comes with every piece is not doubled, and a call without one is not said", () => {
  const again = run(
    piece({ index: 0, id: "c" }, "read", "{"),
    piece({ index: 0, id: "c" }, "read", "}"),
    finish("stop"),
  );
  assert.partialDeepStrictEqual(itemsOf(again), [{ name: "read", arguments: "{}" }]);
  const nameless = run(piece({ index: 0, id: "c" }, undefined, "{}"), finish("tool_calls"), "[DONE]");
  assert.deepEqual([itemsOf(nameless), problemOf(nameless)], [[], { kind: "half_call", tool: "" }]);
});

test("the end of the bytes after a finish reason is as good as [DONE], before it the answer is cut", () => {
  assert.deepEqual(run(delta({ content: "ok" }), finish("stop")).at(-1), { type: "completed", skipped: 0 });
  const cut = run(delta({ content: "ok" }));
  assert.deepEqual([itemsOf(cut), problemOf(cut)], [[], { kind: "cut" }]);
});

test("[DONE] without a finish reason completes text and whole calls, not half ones", () => {
  assert.equal(run(delta({ content: "ok" }), "[DONE]").at(-1)?.type, "completed");
  assert.equal(itemsOf(run(piece({ index: 0, id: "c" }, "read", "{}"), "[DONE]")).length, 1);
  const half = run(piece({ index: 0, id: "c" }, "read", '{"a":'), "[DONE]");
  assert.deepEqual([itemsOf(half), problemOf(half)], [[], { kind: "half_call", tool: "read" }]);
});

test("an answer that ran into its limit keeps the text and finished calls, and drops half ones", () => {
  for (const reason of ["length", "content_filter"]) {
    const events = run(
      delta({ content: "so far" }),
      piece({ index: 0, id: "c" }, "read", "{}"),
      piece({ index: 1, id: "d" }, "read", '{"a":'),
      piece({ index: 2, id: "e" }, "read", ""),
      finish(reason),
      "[DONE]",
    );
    assert.deepEqual(
      itemsOf(events).map((item) => (item.kind === "call" ? item.callId : item.kind)),
      ["text", "c"],
    );
    const early = { kind: "incomplete", reason };
    assert.deepEqual(events.at(-1), { type: "completed", skipped: 0, early });
    const nothing = run(piece({ index: 0, id: "c" }, "read", '{"a":'), finish(reason), "[DONE]");
    assert.deepEqual([itemsOf(nothing), problemOf(nothing)], [[], early]);
  }
});

test("an error in the middle of a stream keeps the provider's words", () => {
  const error = { code: 502, message: "upstream died" };
  for (const chunk of [{ error }, { object: "error", ...error }])
    assert.deepEqual(problemOf(run(delta({ content: "so" }), chunk)), {
      kind: "provider_error",
      error: chunk,
    });
  const [, bare] = chat.step(chat.start, { event: "error", data: "no words left" });
  assert.deepEqual(problemOf(bare), { kind: "provider_error", error: "no words left" });
  assert.partialDeepStrictEqual(problemOf(run(delta({ content: "so" }), finish("error"))), {
    kind: "provider_error",
  });
});

test("nothing, only thinking and only white space are an empty answer", () => {
  for (const chunks of [[], [delta({ reasoning: "hm" })], [delta({ content: " \n" })]]) {
    const events = run(...chunks, finish("stop"), "[DONE]");
    assert.deepEqual(problemOf(events), { kind: "empty" });
    assert.equal(
      itemsOf(events).some(({ kind }) => kind === "text"),
      false,
    );
  }
});

test("other choices, unknown chunks and what comes after the end are left out", () => {
  const other = { choices: [{ index: 1, delta: { content: "other" } }] };
  const events = run(
    { type: "ping" },
    "garbage",
    other,
    delta({ content: "ok" }),
    finish("stop"),
    "[DONE]",
    delta({ content: "late" }),
  );
  assert.deepEqual(itemsOf(events), [{ kind: "text", item: 0, text: "ok" }]);
  assert.deepEqual(events.at(-1), { type: "completed", skipped: 2 });
  assert.partialDeepStrictEqual(problemOf(run("garbage", "more")), { kind: "unreadable" });
});

test("content may come as a list of parts", () => {
  const events = run(
    delta({
      content: [
        { type: "text", text: "o" },
        { type: "text", text: "k" },
      ],
    }),
    finish("stop"),
  );
  assert.deepEqual(itemsOf(events), [{ kind: "text", item: 0, text: "ok" }]);
});

test("thinking may come as a part of the content", () => {
  const thinking = [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }];
  const events = run(delta({ content: thinking }), delta({ content: "ok" }), finish("stop"));
  assert.deepEqual(
    itemsOf(events).map(({ kind }) => kind),
    ["thinking", "text"],
  );
});

test("a server that makes up another id for every piece of a call asks for one call", () => {
  const events = run(
    piece({ index: 0, id: "x1" }, "read", '{"a"'),
    piece({ index: 0, id: "x2" }, undefined, ":1}"),
    piece({ index: 1, id: "x3" }, "read", "{}"),
    finish("tool_calls"),
  );
  assert.deepEqual(
    itemsOf(events).map((item) => item.kind === "call" && [item.callId, item.arguments]),
    [
      ["x1", '{"a":1}'],
      ["x3", "{}"],
    ],
  );
});

const manyCalls = (count: number): readonly Chunk[] =>
  Array.from({ length: count }, (_, index) => piece({ index, id: `c${index}` }, "read", "{}"));

test("a model gone astray is stopped", () => {
  assert.equal(run(...manyCalls(1000), finish("tool_calls")).at(-1)?.type, "completed");
  const many = run(...manyCalls(1001), finish("tool_calls"));
  assert.deepEqual([itemsOf(many), problemOf(many)], [[], { kind: "too_many", items: 1000 }]);
});

test("a whole answer without a stream is read by the same rules", () => {
  const calls = ["a", "b"].map((id) => ({
    id,
    type: "function",
    function: { name: "read", arguments: "{}" },
  }));
  const events = chat.whole({
    choices: [
      { message: { content: "ok", reasoning_content: "hm", tool_calls: calls }, finish_reason: "tool_calls" },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  });
  assert.deepEqual(
    itemsOf(events).map(({ kind }) => kind),
    ["thinking", "text", "call", "call"],
  );
  assert.deepEqual(events.at(-1), { type: "completed", skipped: 0 });
  assert.partialDeepStrictEqual(chat.whole({ error: { message: "no" } }), [
    { problem: { kind: "provider_error" } },
  ]);
  assert.partialDeepStrictEqual(chat.whole({ hello: 1 }), [{ problem: { kind: "unreadable" } }]);
});

test("whatever chunks come, the machine neither throws nor ends twice", () => {
  const call = fc.record(
    { index: fc.nat(2), id: fc.constantFrom("", "a", "b"), function: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const choice = fc.record(
    {
      index: fc.nat(1),
      delta: fc.record(
        { content: fc.jsonValue(), reasoning: fc.jsonValue(), tool_calls: fc.array(call) },
        { requiredKeys: [] },
      ),
      finish_reason: fc.constantFrom(null, "stop", "length", "tool_calls"),
    },
    { requiredKeys: [] },
  );
  const chunk = fc.oneof(
    fc.record({ choices: fc.array(choice) }),
    fc.constant("[DONE]"),
    fc.record({ error: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const events = run(...chunks);
      const ends = events.filter(({ type }) => type === "completed" || type === "problem");
      assert.equal(ends.length, 1);
      assert.equal(events.at(-1), ends[0]);
    }),
  );
});
