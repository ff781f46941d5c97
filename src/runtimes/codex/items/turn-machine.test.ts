import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { itemsOf } from "../captures.suite.ts";
import {
  type Frame,
  command,
  completed,
  delta,
  end,
  here,
  message,
  options,
  run,
  started,
  statuses,
  waiting,
} from "../connection/frames.suite.ts";
import { beginTurn, endedEvent, observe } from "./turn-machine.ts";

const items = (frames: readonly Frame[]): unknown => itemsOf(run(frames)[1]);

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

/** How long each call took, when frames come at these times. */
function took(...at: readonly (readonly [ms: number, frame: Frame])[]): unknown {
  let state = beginTurn(options);
  return at.flatMap(([ms, [method, params]]) => {
    const [next, events] = observe(state, { method, params }, ms);
    state = next;
    return itemsOf(events).map((each) => each.kind === "call" && each.durationMs);
  });
}

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

  test("a command that codex has not measured took as long as we saw it run, without the wait for a yes", () => {
    const done = completed(command("c", { status: "completed", exitCode: 0, durationMs: 0 }));
    const running = started(command("c", { processId: "7" }));
    const asked = [waiting(["waitingOnApproval"]), started(command("c"))] as const;
    assert.deepEqual(took([0, running], [3000, done]), [3000]);
    assert.deepEqual(took([0, asked[0]], [0, asked[1]], [60_000, waiting([])], [63_000, done]), [3000]);
    // Another one still waits, so nobody can say when this one began.
    assert.deepEqual(took([0, asked[0]], [0, asked[1]], [63_000, done]), [undefined]);
    // It was over before we heard of it.
    assert.deepEqual(took([0, running], [20, done]), [undefined]);
    const measured = completed(command("c", { status: "completed", exitCode: 0, durationMs: 2919 }));
    assert.deepEqual(took([0, running], [3000, measured]), [2919]);
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
