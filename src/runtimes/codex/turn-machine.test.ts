import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TurnEvent } from "../../core/events.ts";
import { itemsOf } from "./captures.suite.ts";
import {
  type TurnOptions,
  type TurnState,
  awaitedItems,
  beginTurn,
  closeOpenItems,
  endedEvent,
  observe,
  outcomeOf,
} from "./turn-machine.ts";

type Frame = readonly [method: string, params: object];

const here = { threadId: "T", turnId: "U" };
const options: TurnOptions = { ...here, cwd: "/w" };

const item = (fields: object): object => ({ ...here, item: fields });
const started = (fields: object): Frame => ["item/started", item(fields)];
const completed = (fields: object): Frame => ["item/completed", item(fields)];
const message = (id: string, text: string, rest: object = {}): object => ({
  type: "agentMessage",
  id,
  text,
  phase: null,
  ...rest,
});
const command = (id: string, rest: object = {}): object => ({
  type: "commandExecution",
  id,
  command: "ls",
  cwd: "/w",
  processId: null,
  status: "inProgress",
  ...rest,
});
const delta = (itemId: string, text: string): Frame => [
  "item/agentMessage/delta",
  { ...here, itemId, delta: text },
];
const end = (status: string, rest: object = {}): Frame => [
  "turn/completed",
  { threadId: "T", turn: { id: "U", items: [], status, error: null, ...rest } },
];
const retry = (details = ""): Frame => [
  "error",
  {
    ...here,
    willRetry: true,
    error: {
      message: "Reconnecting... 1/5",
      additionalDetails: details,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    },
  },
];

function run(frames: readonly Frame[], from: TurnState = beginTurn(options)): [TurnState, TurnEvent[]] {
  let state = from;
  const events: TurnEvent[] = [];
  frames.forEach(([method, params], at) => {
    const [next, said] = observe(state, { method, params }, at);
    state = next;
    events.push(...said);
  });
  return [state, events];
}

const items = (frames: readonly Frame[]): unknown => itemsOf(run(frames)[1]);
const statuses = (events: readonly TurnEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "status" ? [event.state] : []));

const waiting = (activeFlags: string[]): Frame => [
  "thread/status/changed",
  { threadId: "T", status: { type: "active", activeFlags } },
];

const counts = (sum: number): object => ({ totalTokens: sum, inputTokens: sum });
const usage = (turnId: string, total: number, last: number): Frame => [
  "thread/tokenUsage/updated",
  { threadId: "T", turnId, tokenUsage: { total: counts(total), last: counts(last) } },
];

describe("turn machine: whose frame it is", () => {
  test("frames of other threads and turns change nothing", () => {
    const state = beginTurn(options);
    const foreign: readonly Frame[] = [
      ["item/completed", { threadId: "T2", turnId: "U", item: message("m", "stranger") }],
      ["item/completed", { threadId: "T", turnId: "U2", item: message("m", "stranger") }],
      ["turn/completed", { threadId: "T", turn: { id: "U2", status: "completed" } }],
      ["turn/completed", { threadId: "T2", turn: { id: "U", status: "completed" } }],
      [
        "thread/status/changed",
        { threadId: "T2", status: { type: "active", activeFlags: ["waitingOnApproval"] } },
      ],
      ["error", { threadId: "T2", turnId: "U9", willRetry: true, error: { message: "x" } }],
    ];
    assert.deepEqual(run(foreign, state), [state, []]);
  });

  test("a frame that names nobody is taken", () => {
    const [, events] = run([["item/completed", { item: message("m", "hello") }]]);
    assert.equal(itemsOf(events).length, 1);
  });

  test("only a `turn/completed` that names the turn ends it, and only the first", () => {
    const [nameless] = run([["turn/completed", { threadId: "T", turn: { status: "completed" } }]]);
    assert.equal(nameless.outcome, undefined);
    assert.deepEqual([...nameless.drift], [["turn/completed without turn id", 1]]);
    const [twice] = run([end("interrupted"), end("completed")]);
    assert.deepEqual(twice.outcome, { status: "interrupted", brokeOff: false });
  });
});

describe("turn machine: items", () => {
  test("an item that is told twice is one item and one call", () => {
    const done = completed(command("c", { status: "completed", exitCode: 0, startedAtMs: 5 }));
    const [state, events] = run([
      started(command("c", { startedAtMs: 5 })),
      done,
      done,
      started(command("c", { startedAtMs: 5 })),
    ]);
    assert.equal(itemsOf(events).length, 1);
    assert.equal(events.filter((event) => event.type === "begin").length, 1);
    assert.equal(endedEvent(state, "done").calls, 1);
    assert.equal(state.open.size, 0);
  });

  test("the end may come before the start, and pieces before both", () => {
    const text = message("m", "hello");
    assert.deepEqual(items([completed(text), started(text)]), items([started(text), completed(text)]));
    const [state, events] = run([
      delta("m", "he"),
      delta("m", "llo"),
      started(message("m", "")),
      completed(text),
    ]);
    assert.deepEqual(
      events.filter((event) => event.type !== "status").map((event) => event.type),
      ["begin", "delta", "delta", "item"],
    );
    assert.equal(state.open.size, 0);
  });

  test("a piece that comes after the end of its item is not shown", () => {
    const [state, events] = run([completed(message("m", "hello")), delta("m", "lo")]);
    assert.ok(events.every((event) => event.type !== "begin" && event.type !== "delta"));
    assert.equal(state.open.size, 0);
  });

  test("an id that a provider uses again is a second item", () => {
    const [, events] = run([
      started(message("m", "", { startedAtMs: 1 })),
      completed(message("m", "first", { startedAtMs: 1 })),
      started(message("m", "", { startedAtMs: 9 })),
      completed(message("m", "second", { startedAtMs: 9 })),
      completed(message("m", "second", { startedAtMs: 9 })),
    ]);
    assert.deepEqual(
      itemsOf(events).map(({ id }) => id),
      ["m", "m~2"],
    );
  });

  test("an item without an id is named by its place", () => {
    const { id: _none, ...nameless } = command("c", { status: "completed", exitCode: 0 }) as { id: string };
    const [state, events] = run([completed(nameless), completed(nameless)]);
    assert.deepEqual(
      itemsOf(events).map((each) => (each.kind === "call" ? each.callId : "")),
      ["codex_exec_commandExecution#1", "codex_exec_commandExecution#2"],
    );
    assert.deepEqual([...state.drift], [["commandExecution without id", 2]]);
  });

  test("the answer is taken from `turn/completed` if its own frame was lost", () => {
    const turn = end("completed", { items: [message("m", "hello")] });
    const [state, events] = run([
      started(message("m", "")),
      delta("m", "hel"),
      turn,
      completed(message("m", "hello")),
    ]);
    assert.deepEqual(itemsOf(events), [{ id: "m", kind: "text", text: "hello", phase: "answer" }]);
    assert.equal(endedEvent(state, "done").text, "hello");
  });

  test("a turn that is read back from the thread gives what was missed, and nothing twice", () => {
    const ran = command("c", { status: "completed", exitCode: 0, aggregatedOutput: "a" });
    const whole = end("completed", {
      items: [{ type: "userMessage", id: "u" }, ran, command("d"), message("m", "hello")],
    });
    const [state, events] = run([completed(ran), whole]);
    assert.deepEqual(
      itemsOf(events).map(({ id }) => id),
      ["c", "m"],
    );
    assert.equal(state.open.size, 0);
  });

  test("output that only came in pieces is kept", () => {
    const [, events] = run([
      started(command("c", { processId: "1" })),
      ["item/commandExecution/outputDelta", { ...here, itemId: "c", delta: "one\n" }],
      ["item/commandExecution/outputDelta", { ...here, itemId: "c", delta: "two\n" }],
      completed(command("c", { status: "completed", exitCode: 0, aggregatedOutput: null })),
    ]);
    const [call] = itemsOf(events);
    assert.ok(call?.kind === "call" && call.ok && call.output === "one\ntwo\n");
  });

  test("a late item is taken and counted", () => {
    const [state, events] = run([
      started(command("c", { processId: "1" })),
      end("completed"),
      completed(command("c", { status: "completed", exitCode: 0 })),
    ]);
    assert.equal(itemsOf(events).length, 1);
    assert.deepEqual([...state.drift], [["late item", 1]]);
    assert.ok(!statuses(events.slice(-1)).length, "no status after the end");
  });
});

describe("turn machine: closing what is open", () => {
  test("a half-written answer is the answer, an overtaken one is not", () => {
    const [state] = run([
      started(message("a", "")),
      delta("a", "given up"),
      started(message("b", "", { phase: "commentary" })),
      completed(message("b", "looking", { phase: "commentary" })),
      started(message("c", "")),
      delta("c", "half of"),
      end("interrupted"),
    ]);
    const [closed, events] = closeOpenItems(state, "the turn was stopped", 9);
    assert.deepEqual(
      itemsOf(events).map(({ id, kind }) => [id, kind]),
      [
        ["a", "note"],
        ["c", "text"],
      ],
    );
    assert.equal(endedEvent(closed, "interrupted").text, "half of");
    assert.deepEqual(closeOpenItems(closed, "again", 9)[1], []);
  });

  test("of several answers that were begun only the last one counts", () => {
    const [state] = run([
      started(message("a", "")),
      delta("a", "first try"),
      started(message("b", "")),
      delta("b", "second try"),
    ]);
    const [closed, events] = closeOpenItems(state, "the turn ended", 9);
    assert.deepEqual(
      itemsOf(events).map(({ kind }) => kind),
      ["note", "text"],
    );
    assert.equal(endedEvent(closed, "failed").text, "second try");
  });

  test("an answer that was finished stays the answer, whatever was given up before it", () => {
    const [state] = run([
      started(message("a", "")),
      delta("a", "given up"),
      started(message("b", "")),
      completed(message("b", "the answer")),
      end("completed"),
    ]);
    const [closed] = closeOpenItems(state, "the turn ended", 9);
    assert.equal(endedEvent(closed, "done").text, "the answer");
  });

  test("an open command says what was seen, why it has no result, and that it may run on", () => {
    const [state] = run([
      started(command("c", { processId: "7" })),
      ["item/commandExecution/outputDelta", { ...here, itemId: "c", delta: "one\n" }],
    ]);
    const [closed, events] = closeOpenItems(state, "codex is gone", 1000);
    const [call] = itemsOf(events);
    assert.ok(call?.kind === "call" && !call.ok);
    assert.equal(call.output, "one\n[not finished: codex is gone; it may still be running]");
    assert.equal(call.durationMs, 1000);
    assert.equal(endedEvent(closed, "failed").calls, 0, "it was not finished");
    const late = observe(closed, { method: "item/completed", params: item(command("c")) }, 1001);
    assert.deepEqual(late[1], [], "and is not told again when codex says more");
  });

  test("thoughts are kept, empty beginnings are not", () => {
    const thought = { type: "reasoning", id: "r", summary: [], content: [] };
    const [state] = run([
      started(thought),
      ["item/reasoning/summaryTextDelta", { ...here, itemId: "r", delta: "hm" }],
      started(message("m", "")),
      started({ type: "webSearch", id: "w", query: "x" }),
      started({ type: "contextCompaction", id: "k" }),
    ]);
    const [, events] = closeOpenItems(state, "stopped", 1);
    assert.deepEqual(
      itemsOf(events).map(({ id, kind }) => `${id} ${kind}`),
      ["r thinking", "w note", "k note"],
    );
  });

  test("a running command is not awaited, one that waits for its result is", () => {
    const [state] = run([started(command("a", { processId: "1" })), started(command("b"))]);
    assert.deepEqual(
      awaitedItems(state).map(({ id }) => id),
      ["b"],
    );
  });
});

describe("turn machine: what it says beside items", () => {
  test("the status follows what codex does", () => {
    const [, events] = run([
      ["turn/started", { threadId: "T", turn: { id: "U" } }],
      started(command("c")),
      waiting(["waitingOnApproval"]),
      waiting([]),
      completed(command("c", { status: "completed", exitCode: 0 })),
      retry(),
      started(message("m", "")),
      started({ type: "contextCompaction", id: "k" }),
      completed({ type: "contextCompaction", id: "k" }),
      waiting(["waitingOnUserInput"]),
      end("completed"),
    ]);
    const expected = "thinking tool waiting tool thinking retrying thinking compacting thinking waiting";
    assert.equal(statuses(events).join(" "), expected);
  });

  test("a retry says codex's words without secrets", () => {
    const [, events] = run([retry("unexpected status 401: bad key sk-aaaaaaaaaaaaaaaaaaaaaaaa")]);
    const status = events.find((event) => event.type === "status");
    assert.equal(status?.text, "Reconnecting... 1/5 (unexpected status 401: bad key [redacted])");
  });

  test("a failure knows whether the answer broke off", () => {
    const failed = end("failed", { error: { message: "gone", codexErrorInfo: "other" } });
    assert.equal(run([failed])[0].outcome?.brokeOff, false);
    assert.equal(run([retry(), failed])[0].outcome?.brokeOff, true);
    assert.equal(run([started(message("m", "")), failed])[0].outcome?.brokeOff, true);
    assert.equal(
      run([retry(), usage("U", 1, 1), failed])[0].outcome?.brokeOff,
      false,
      "the model has answered since",
    );
  });

  test("a failed turn without a reason takes it from the error before", () => {
    const error: Frame = [
      "error",
      { ...here, willRetry: false, error: { message: "no", codexErrorInfo: "modelNotFound" } },
    ];
    assert.equal(run([error, end("failed")])[0].outcome?.error?.info?.kind, "modelNotFound");
    assert.equal(run([error, end("completed")])[0].outcome?.error, undefined);
  });

  test("warnings are said once; deprecations are not for people", () => {
    const warning: Frame = ["warning", { threadId: "T", message: "careful" }];
    const [, events] = run([
      warning,
      warning,
      ["configWarning", { summary: "Bad setting.", details: "line 3", path: "/c.toml" }],
      ["deprecationNotice", { summary: "old" }],
      ["model/rerouted", { ...here, fromModel: "a", toModel: "b" }],
    ]);
    assert.deepEqual(
      events.flatMap((event) => (event.type === "notice" ? [event.text] : [])),
      ["careful", "Bad setting. line 3 /c.toml", "The provider answers with b instead of a."],
    );
  });

  test("the sum that is repeated for the turn before is where the spending starts", () => {
    // The first own frame is one without numbers: without a start it would count the old answer again.
    const [state] = run([usage("U0", 500, 100), usage("U", 500, 100), usage("U", 530, 30)]);
    assert.equal(endedEvent(state, "done").usage?.input, 30);
  });

  test("limits and the diff of the turn are kept in the state", () => {
    const [state] = run([
      ["turn/diff/updated", { ...here, diff: "old" }],
      ["turn/diff/updated", { ...here, diff: `new ${"x".repeat(200_000)}` }],
      [
        "account/rateLimits/updated",
        { rateLimits: { primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 1_794_790_000 } } },
      ],
    ]);
    assert.ok(state.diff?.startsWith("new x") && state.diff.length < 70_000);
    assert.deepEqual(state.limits, { text: "5 h: 100% used", resetsAt: 1_794_790_000_000 });
  });

  test("what is new is counted, by name, and the list is bounded", () => {
    const news = Array.from({ length: 100 }, (_, at): Frame => [`new/thing${at}`, { ...here }]);
    const [state, events] = run([
      ...news,
      ["__proto__", {}],
      completed({ type: "hologram", id: "h", beam: 1 }),
      completed(command("c", { status: "pondering" })),
      ["thread/status/changed", { threadId: "T", status: { type: "dreaming" } }],
    ]);
    assert.equal(state.drift.size, 41);
    assert.ok([...state.drift.values()].reduce((sum, times) => sum + times, 0) === 104);
    assert.deepEqual(
      itemsOf(events).map(({ kind }) => kind),
      ["note", "call"],
    );
  });

  test("a status of the turn that nobody knows confirms nothing", () => {
    const [state] = run([end("suspended")]);
    assert.equal(outcomeOf(state.outcome?.status ?? ""), "unconfirmed");
    assert.deepEqual([...state.drift], [["turn status suspended", 1]]);
    assert.deepEqual(["completed", "interrupted", "failed"].map(outcomeOf), [
      "done",
      "interrupted",
      "failed",
    ]);
  });

  test("commentary stands in for an answer only if there is none", () => {
    const aside = completed(message("a", "looking", { phase: "commentary" }));
    assert.equal(endedEvent(run([aside])[0], "done").text, "looking");
    assert.equal(endedEvent(run([completed(message("m", "yes")), aside])[0], "done").text, "yes");
    assert.equal(endedEvent(run([])[0], "done").text, "");
  });
});
