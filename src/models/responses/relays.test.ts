import assert from "node:assert/strict";
import { test } from "node:test";
import {
  added,
  argsDelta,
  bare,
  call,
  completed,
  done,
  itemsOf,
  message,
  problemOf,
  run,
  summaryDelta,
  textDelta,
  type Frame,
} from "./frames.suite.ts";
import { responses } from "./machine.ts";

const custom = (input: string): Frame => ({
  type: "custom_tool_call",
  id: "u",
  call_id: "c",
  name: "patch",
  input,
});
const numbered = (n: number, text: string): Frame => ({ ...summaryDelta(text), summary_index: n });
const manyCalls = (count: number): readonly Frame[] =>
  Array.from({ length: count }, (_, n) => done(n, call(`f${n}`, `c${n}`, "{}")));

test("free input of a custom tool is its argument `input`, streamed or only finished", () => {
  const delta = { type: "response.custom_tool_call_input.delta", item_id: "u", delta: "*** Be" };
  const expected = [{ kind: "call", item: 0, callId: "c", name: "patch", arguments: '{"input":"*** Be"}' }];
  for (const frames of [
    [added(0, custom("")), delta, done(0, custom("*** Be"))],
    [added(0, custom("")), delta],
    [added(0, custom("")), { type: "response.custom_tool_call_input.done", item_id: "u", input: "*** Be" }],
    [done(0, custom("*** Be"))],
  ])
    assert.deepEqual(itemsOf(run(...frames, completed)), expected);
});

test("calls are said when the answer is complete, in the order they were announced, and never otherwise", () => {
  const frames = [
    added(0, call("f1", "c1", "")),
    added(1, call("f2", "c2", "")),
    done(1, call("f2", "c2", "{}")),
    done(0, call("f1", "c1", "{}")),
  ];
  assert.deepEqual(
    itemsOf(run(...frames, completed)).map(({ item }) => item),
    [0, 1],
  );
  const error = { type: "error", message: "no" };
  for (const end of [[], [error]]) assert.deepEqual(itemsOf(run(...frames, ...end)), []);
});

test("two calls of one id that ask for different things are two; a correction of one is one", () => {
  const twice = run(done(0, call("f", "c", '{"a":1}')), done(1, call("g", "c", '{"a":2}')), completed);
  assert.equal(itemsOf(twice).length, 2);
  const better = run(done(0, call("f", "c", "")), done(0, call("f", "c", '{"a":2}')), completed);
  assert.partialDeepStrictEqual(itemsOf(better), [{ arguments: '{"a":2}' }]);
  assert.equal(itemsOf(better).length, 1);
});

test("what is streamed under one name and finished under another is one text", () => {
  const events = run(textDelta("x", 0, "Hello"), done(3, message("y", "Hello")), completed);
  assert.deepEqual(itemsOf(events), [{ kind: "text", item: 0, text: "Hello" }]);
});

test("a phase that only the finished message names counts", () => {
  const late = run(
    textDelta("a", 0, "let me see"),
    done(0, message("a", "let me see", { phase: "analysis" })),
    done(1, message("m", "ok")),
    completed,
  );
  assert.deepEqual(
    itemsOf(late).map(({ kind }) => kind),
    ["thinking", "text"],
  );
  const early = run(
    added(0, message("a", "", { phase: "commentary" })),
    done(0, message("a", "looking")),
    completed,
  );
  assert.partialDeepStrictEqual(itemsOf(early), [{ text: "looking", phase: "commentary" }]);
});

test("text after reasoning that nobody finished is text, also without names", () => {
  const events = run({ type: "response.reasoning_text.delta", delta: "hm" }, bare("ok"), completed);
  assert.deepEqual(
    itemsOf(events).map(({ kind }) => kind),
    ["thinking", "text"],
  );
});

test("paragraphs of reasoning are told apart by their numbers, also where nobody announces them", () => {
  const raw = { type: "response.reasoning_text.delta", item_id: "rs", content_index: 0, delta: "raw" };
  const events = run(numbered(0, "One."), numbered(1, "Tw"), numbered(1, "o."), raw, completed);
  const deltas = events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("");
  assert.equal(deltas, "One.\n\nTwo.\n\nraw");
});

test("a response that says it failed did so, whatever its frame is called", () => {
  const error = { code: "server_error", message: "boom" };
  for (const type of ["response.completed", "response.done"])
    assert.deepEqual(problemOf(run({ type, response: { status: "failed", error } })), {
      kind: "provider_error",
      error,
    });
  assert.equal(run(textDelta("m", 0, "ok"), { type: "response.done" }).at(-1)?.type, "completed");
  assert.partialDeepStrictEqual(problemOf(run({ type: "response.cancelled", response: {} })), {
    kind: "provider_error",
  });
});

test("a model gone astray is stopped", () => {
  assert.equal(run(...manyCalls(1000), completed).at(-1)?.type, "completed");
  const many = run(...manyCalls(1001), completed);
  assert.deepEqual([itemsOf(many), problemOf(many)], [[], { kind: "too_many", items: 1000 }]);
  const output = Array.from({ length: 1001 }, (_, n) => call(`f${n}`, `c${n}`, "{}"));
  assert.deepEqual(
    responses.whole({ output }).map(({ type }) => type),
    ["problem"],
  );
});

test("a relay that changes the item id in every frame is matched by call id and place", () => {
  const events = run(
    added(0, call("x1", "c1", "")),
    argsDelta("x2", 0, '{"a":1}'),
    done(0, call("x3", "c1", "")),
    added(1, message("y1", "")),
    textDelta("y2", 1, "hi"),
    done(1, message("y3", "hi")),
    completed,
  );
  assert.deepEqual(itemsOf(events), [
    { kind: "text", item: 1, text: "hi" },
    { kind: "call", item: 0, callId: "c1", name: "read", arguments: '{"a":1}' },
  ]);
});

test("a relay that leaves out ids and places still makes one text", () => {
  assert.deepEqual(itemsOf(run(bare("a"), bare("b"), completed)), [{ kind: "text", item: 0, text: "ab" }]);
  const events = run(bare("a"), bare("b"), done(0, message("m", "ab")), completed);
  assert.deepEqual(itemsOf(events), [{ kind: "text", item: 0, text: "ab" }]);
});

test("bare deltas belong to what was announced last, a finished call to its call id", () => {
  const text = run(added(0, message("m", "")), bare("a"), bare("b"), completed);
  assert.deepEqual(itemsOf(text), [{ kind: "text", item: 0, text: "ab" }]);
  const calls = run(
    added(0, call("f1", "c1", "")),
    added(1, call("f2", "c2", "")),
    done(0, call("other", "c2", '{"b":2}')),
    done(1, call("another", "c1", '{"a":1}')),
    completed,
  );
  assert.deepEqual(
    itemsOf(calls).map((item) => item.kind === "call" && [item.item, item.callId]),
    [
      [0, "c1"],
      [1, "c2"],
    ],
  );
});

test("a repeated item is said once", () => {
  const events = run(
    done(0, call("f", "c", "{}")),
    done(0, call("f", "c", "{}")),
    done(1, call("g", "c", "{}")),
    completed,
  );
  assert.equal(itemsOf(events).length, 1);
  assert.deepEqual(events.at(-1), { type: "completed", skipped: 2 });
});
