import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import {
  added,
  argsDelta,
  call,
  completed,
  created,
  done,
  itemsOf,
  message,
  problemOf,
  run,
  summaryDelta,
  summaryPart,
  textDelta,
} from "./frames.suite.ts";
import { responses } from "./machine.ts";

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

test("a frame may have its type in the event's name only", () => {
  const [state, events] = responses.step(responses.start, {
    event: "response.output_text.delta",
    data: '{"delta":"hi"}',
  });
  assert.deepEqual(events, [{ type: "delta", item: 0, of: "text", text: "hi" }]);
  assert.equal(state.skipped, 0);
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
    kind: "provider_error",
    error,
  });
  for (const frame of [
    { type: "error", status: 503, error },
    { type: "error", ...error },
    { error },
    { type: "response.failed", response: { error: null }, error },
  ])
    assert.deepEqual(problemOf(run(frame)), { kind: "provider_error", error: frame });
  const [, wordless] = responses.step(responses.start, { event: "error", data: "no words left" });
  assert.deepEqual(problemOf(wordless), { kind: "provider_error", error: { error: "no words left" } });
  const cut = {
    type: "response.incomplete",
    response: { incomplete_details: { reason: "max_output_tokens" } },
  };
  assert.deepEqual(problemOf(run(created, cut)), { kind: "incomplete", reason: "max_output_tokens" });
});

test("an answer that was ended early keeps its words and its finished calls, and says why", () => {
  const response = { incomplete_details: { reason: "max_output_tokens" } };
  const early = { kind: "incomplete", reason: "max_output_tokens" };
  for (const cut of [
    { type: "response.incomplete", response },
    { type: "response.completed", response: { ...response, status: "incomplete" } },
  ]) {
    const words = run(textDelta("m", 0, "so far"), cut);
    assert.partialDeepStrictEqual(itemsOf(words), [{ kind: "text", text: "so far" }]);
    assert.deepEqual(words.at(-1), { type: "completed", skipped: 0, early });
    const calls = run(
      done(0, call("f1", "c1", "{}")),
      done(1, call("f2", "c2", '{"a', { status: "incomplete" })),
      added(2, call("f3", "c3", "")),
      cut,
    );
    assert.partialDeepStrictEqual(itemsOf(calls), [{ kind: "call", callId: "c1" }]);
    assert.deepEqual(calls.at(-1), { type: "completed", skipped: 0, early });
    const half = run(added(0, call("f3", "c3", "")), cut);
    assert.deepEqual([itemsOf(half), problemOf(half)], [[], early]);
  }
});

test("any first frame is accepted, unknown frames are counted and nothing is heard after the end", () => {
  const events = run(
    { type: "codex.rate_limits", limits: {} },
    { type: "response.in_progress" },
    "not json",
    done(0, message("m", "ok")),
    done(1, {}),
    completed,
    textDelta("m", 0, "late"),
    { type: "error", message: "late" },
  );
  assert.deepEqual(events, [
    { type: "item", item: { kind: "text", item: 0, text: "ok" } },
    { type: "completed", skipped: 3 },
  ]);
});

const note = (item: number, kind: string, more: string) => ({
  type: "item",
  item: {
    kind: "note",
    item,
    text: `The provider added an item of the kind "${kind}", which Talaria did not run${more}.`,
  },
});

test("what the provider did by itself is noted, once, with its name and why it failed", () => {
  const searched = {
    type: "mcp_call",
    id: "mcp_1",
    server_label: "docs",
    name: "search",
    status: "completed",
  };
  const events = run(
    added(0, searched),
    done(0, searched),
    done(0, searched),
    done(1, { type: "code_interpreter_call", id: "ci_1", status: "failed", error: { message: "no room" } }),
    done(2, { type: "news_from_tomorrow", id: "n" }),
    done(3, message("m", "ok")),
    completed,
  );
  assert.deepEqual(events, [
    note(0, "mcp_call", ": docs · search"),
    note(1, "code_interpreter_call", ": failed, no room"),
    note(2, "news_from_tomorrow", ""),
    { type: "item", item: { kind: "text", item: 3, text: "ok" } },
    { type: "completed", skipped: 2 },
  ]);
});

test("an answer of nothing but such items is none", () => {
  const events = run(done(0, { type: "mcp_call", id: "a", name: "search" }), completed);
  assert.deepEqual(problemOf(events), { kind: "empty" });
  assert.equal(events.filter(({ type }) => type === "item").length, 1);
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
    { problem: { kind: "provider_error" } },
  ]);
  assert.partialDeepStrictEqual(responses.whole({ status: "failed", output: [], error: { message: "no" } }), [
    { problem: { kind: "provider_error", error: { message: "no" } } },
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
    "response.custom_tool_call_input.delta",
    "response.reasoning_summary_text.delta",
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
