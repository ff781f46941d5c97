import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { WireEvent } from "../wire.ts";
import { responses } from "./machine.ts";

type Frame = Readonly<Record<string, unknown>>;

/** Everything the machine says about the frames, and then about the end of the bytes. */
function run(...frames: readonly (Frame | string)[]): readonly WireEvent[] {
  let state = responses.start;
  const events = frames.flatMap((frame) => {
    const data = typeof frame === "string" ? frame : JSON.stringify(frame);
    const [next, said] = responses.step(state, { data });
    state = next;
    return said;
  });
  return [...events, ...responses.end(state)];
}

const created = { type: "response.created", response: { id: "r" } };
const completed = { type: "response.completed", response: { id: "r", output: [] } };
const message = (id: string, text: string, more: Frame = {}): Frame => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...more,
});
const call = (id: string, callId: string, args: string, more: Frame = {}): Frame => ({
  type: "function_call",
  id,
  call_id: callId,
  name: "read",
  arguments: args,
  ...more,
});
const added = (index: number, item: Frame): Frame => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
const done = (index: number, item: Frame): Frame => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
const textDelta = (id: string, index: number, delta: string): Frame => ({
  type: "response.output_text.delta",
  item_id: id,
  output_index: index,
  delta,
});
const argsDelta = (id: string, index: number, delta: string): Frame => ({
  type: "response.function_call_arguments.delta",
  item_id: id,
  output_index: index,
  delta,
});

const summaryPart = (n: number) => ({
  type: "response.reasoning_summary_part.added",
  item_id: "rs",
  output_index: 0,
  summary_index: n,
});
const summaryDelta = (text: string) => ({
  type: "response.reasoning_summary_text.delta",
  item_id: "rs",
  output_index: 0,
  delta: text,
});
const bare = (delta: string) => ({ type: "response.output_text.delta", delta });

const itemsOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "item" ? [event.item] : []));
const problemOf = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.type === "problem" ? [event.problem] : []))[0];

test("text streams as deltas and finishes as one item", () => {
  const events = run(
    created,
    added(0, message("m1", "", { content: [] })),
    textDelta("m1", 0, "Hel"),
    textDelta("m1", 0, "lo"),
    done(0, message("m1", "Hello", { phase: "final_answer" })),
    {
      ...completed,
      response: { usage: { input_tokens: 7, output_tokens: 2, input_tokens_details: { cached_tokens: 3 } } },
    },
  );
  assert.deepEqual(events, [
    { type: "delta", item: 0, of: "text", text: "Hel" },
    { type: "delta", item: 0, of: "text", text: "lo" },
    { type: "item", item: { kind: "text", item: 0, text: "Hello", phase: "answer" } },
    { type: "usage", input: 7, cached: 3, output: 2, reasoning: 0 },
    { type: "completed", skipped: 0 },
  ]);
});

test("reasoning comes as paragraphs, and what is sealed in it is kept for the way back", () => {
  const item = {
    type: "reasoning",
    id: "rs",
    summary: [
      { type: "summary_text", text: "One." },
      { type: "summary_text", text: "Two." },
    ],
  };
  const events = run(
    added(0, { type: "reasoning", id: "rs", summary: [] }),
    summaryPart(0),
    summaryDelta("One."),
    summaryPart(1),
    summaryDelta("Two."),
    done(0, { ...item, encrypted_content: "zzz" }),
    done(1, message("m", "ok")),
    completed,
  );
  const deltas = events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("");
  assert.equal(deltas, "One.\n\nTwo.");
  assert.deepEqual(itemsOf(events)[0], {
    kind: "thinking",
    item: 0,
    text: "One.\n\nTwo.",
    sealed: { type: "reasoning", summary: item.summary, encrypted_content: "zzz" },
  });
});

test("raw reasoning and messages in the phase analysis are thinking", () => {
  const events = run(
    { type: "response.reasoning_text.delta", item_id: "rs", output_index: 0, delta: "hm" },
    done(0, { type: "reasoning", id: "rs", summary: [], content: [{ type: "reasoning_text", text: "hm" }] }),
    added(1, message("a", "", { phase: "analysis" })),
    textDelta("a", 1, "let me see"),
    done(1, message("a", "let me see", { phase: "analysis" })),
    done(2, message("m", "ok")),
    completed,
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === "delta" ? [[event.of, event.text]] : [])),
    [
      ["thinking", "hm"],
      ["thinking", "let me see"],
    ],
  );
  assert.deepEqual(
    itemsOf(events).map(({ kind }) => kind),
    ["thinking", "thinking", "text"],
  );
});

test("two interleaved calls are kept apart by their ids", () => {
  const events = run(
    added(0, call("f1", "c1", "")),
    added(1, call("f2", "c2", "")),
    argsDelta("f2", 1, '{"b"'),
    argsDelta("f1", 0, '{"a"'),
    argsDelta("f2", 1, ":2}"),
    argsDelta("f1", 0, ":1}"),
    completed,
  );
  assert.deepEqual(itemsOf(events), [
    { kind: "call", item: 0, callId: "c1", name: "read", arguments: '{"a":1}' },
    { kind: "call", item: 1, callId: "c2", name: "read", arguments: '{"b":2}' },
  ]);
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
    { kind: "call", item: 0, callId: "c1", name: "read", arguments: '{"a":1}' },
    { kind: "text", item: 1, text: "hi" },
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
      [1, "c2"],
      [0, "c1"],
    ],
  );
});

test("a frame may have its type in the event's name only", () => {
  const [state, events] = responses.step(responses.start, {
    event: "response.output_text.delta",
    data: '{"delta":"hi"}',
  });
  assert.deepEqual(events, [{ type: "delta", item: 0, of: "text", text: "hi" }]);
  assert.equal(state.skipped, 0);
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

test("an announced call that nobody finished counts at completion only if it is whole", () => {
  const whole = run(added(0, call("f", "c", "")), argsDelta("f", 0, '{"a":1}'), completed);
  assert.equal(itemsOf(whole).length, 1);
  const empty = run(added(0, call("f", "c", "")), completed);
  assert.partialDeepStrictEqual(itemsOf(empty), [{ arguments: "{}" }]);
  const half = run(added(0, call("f", "c", "")), argsDelta("f", 0, '{"a":'), completed);
  assert.deepEqual([itemsOf(half), problemOf(half)], [[], { kind: "half_call", tool: "read" }]);
  const marked = run(done(0, call("f", "c", "{}", { status: "incomplete" })), completed);
  assert.deepEqual([itemsOf(marked), problemOf(marked)], [[], { kind: "half_call", tool: "read" }]);
});

test("arguments that the provider declared whole count at completion as they are", () => {
  const ended = { type: "response.function_call_arguments.done", item_id: "f", output_index: 0 };
  const given = run(added(0, call("f", "c", "")), { ...ended, arguments: "{oops" }, completed);
  assert.partialDeepStrictEqual(itemsOf(given), [{ arguments: "{oops" }]);
  const grown = run(added(0, call("f", "c", "")), argsDelta("f", 0, "{oops"), ended, completed);
  assert.partialDeepStrictEqual(itemsOf(grown), [{ arguments: "{oops" }]);
});

test("arguments that are not JSON are passed on as they are when the provider says they are whole", () => {
  assert.partialDeepStrictEqual(itemsOf(run(done(0, call("f", "c", "{oops")), completed)), [
    { arguments: "{oops" },
  ]);
});

test("the list in the terminal frame is not trusted", () => {
  const lies = {
    type: "response.completed",
    response: { output: [call("f", "c", "{}"), message("m", "lie")] },
  };
  assert.deepEqual(itemsOf(run(done(0, message("m", "truth")), lies)), [
    { kind: "text", item: 0, text: "truth" },
  ]);
  assert.deepEqual(problemOf(run(created, lies)), { kind: "empty" });
});

test("deltas stand in for a missing item, but not beside a call", () => {
  assert.deepEqual(itemsOf(run(textDelta("m", 0, "Hello"), completed)), [
    { kind: "text", item: 0, text: "Hello" },
  ]);
  const beside = run(textDelta("m", 0, "Hello"), done(1, call("f", "c", "{}")), completed);
  assert.deepEqual(
    itemsOf(beside).map(({ kind }) => kind),
    ["call"],
  );
});

test("nothing, only reasoning and only white space are all an empty answer", () => {
  const reasoning = done(0, { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "hm" }] });
  for (const frames of [[], [reasoning], [done(0, message("m", " \n "))]]) {
    const events = run(created, ...frames, completed);
    assert.deepEqual(problemOf(events), { kind: "empty" });
    assert.equal(
      itemsOf(events).some(({ kind }) => kind === "text"),
      false,
    );
  }
});

test("refusals are text", () => {
  const refusal = { type: "message", id: "m", content: [{ type: "refusal", refusal: "I will not." }] };
  const events = run(
    { type: "response.refusal.delta", item_id: "m", delta: "I will not." },
    done(0, refusal),
    completed,
  );
  assert.partialDeepStrictEqual(itemsOf(events), [{ kind: "text", text: "I will not." }]);
});

test("failed, incomplete and error frames keep the provider's reason", () => {
  const error = { code: "server_error", message: "boom" };
  assert.deepEqual(problemOf(run(created, { type: "response.failed", response: { error } })), {
    kind: "said",
    error,
  });
  assert.deepEqual(problemOf(run({ type: "error", error })), { kind: "said", error });
  assert.partialDeepStrictEqual(problemOf(run({ type: "error", ...error })), { kind: "said", error });
  assert.deepEqual(problemOf(run({ error })), { kind: "said", error });
  const cut = {
    type: "response.incomplete",
    response: { incomplete_details: { reason: "max_output_tokens" } },
  };
  assert.deepEqual(problemOf(run(done(0, message("m", "so far")), cut)), {
    kind: "incomplete",
    reason: "max_output_tokens",
  });
});

test("any first frame is accepted, unknown frames are counted and nothing is heard after the end", () => {
  const events = run(
    { type: "codex.rate_limits", limits: {} },
    { type: "response.in_progress" },
    "not json",
    done(0, message("m", "ok")),
    done(1, { type: "web_search_call", id: "w" }),
    completed,
    textDelta("m", 0, "late"),
    { type: "error", message: "late" },
  );
  assert.deepEqual(events, [
    { type: "item", item: { kind: "text", item: 0, text: "ok" } },
    { type: "completed", skipped: 3 },
  ]);
});

test("a stream without a terminal frame is cut, and one of garbage unreadable", () => {
  assert.deepEqual(problemOf(run(created, done(0, message("m", "ok")))), { kind: "cut" });
  assert.deepEqual(problemOf(run()), { kind: "cut" });
  assert.partialDeepStrictEqual(problemOf(run("garbage", "more")), { kind: "unreadable" });
});

test("a whole answer without a stream is read by the same rules", () => {
  const output = [message("m", "ok"), call("f", "c", "{}")];
  assert.deepEqual(
    itemsOf(responses.whole({ status: "completed", output })).map(({ kind }) => kind),
    ["text", "call"],
  );
  assert.partialDeepStrictEqual(responses.whole({ output: [] }), [{ problem: { kind: "empty" } }]);
  assert.partialDeepStrictEqual(responses.whole({ error: { message: "no" } }), [
    { problem: { kind: "said" } },
  ]);
  assert.partialDeepStrictEqual(responses.whole({ status: "failed", output: [], error: { message: "no" } }), [
    { problem: { kind: "said", error: { message: "no" } } },
  ]);
  assert.partialDeepStrictEqual(responses.whole([1]), [{ problem: { kind: "unreadable" } }]);
});

test("nonsense in usage counts as nothing", () => {
  const usage = { input_tokens: -5, output_tokens: "many", input_tokens_details: null };
  const events = run(done(0, message("m", "ok")), { ...completed, response: { usage } });
  assert.deepEqual(events.at(-2), { type: "usage", input: 0, cached: 0, output: 0, reasoning: 0 });
});

test("whatever frames come, the machine neither throws nor ends twice", () => {
  const type = fc.constantFrom(
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.reasoning_summary_part.added",
    "response.completed",
    "response.failed",
    "response.incomplete",
    "error",
  );
  const item = fc.oneof(
    fc.jsonValue(),
    fc.constant(message("m", "x")),
    fc.constant(call("f", "c", '{"a":1')),
  );
  const frame = fc.record(
    {
      type,
      item,
      delta: fc.oneof(fc.string(), fc.jsonValue()),
      item_id: fc.constantFrom("m", "f"),
      response: fc.jsonValue(),
    },
    { requiredKeys: ["type"] },
  );
  fc.assert(
    fc.property(fc.array(frame), (frames) => {
      const events = run(...frames);
      const ends = events.filter(({ type: said }) => said === "completed" || said === "problem");
      assert.equal(ends.length, 1);
      assert.equal(events.at(-1), ends[0]);
    }),
  );
});
