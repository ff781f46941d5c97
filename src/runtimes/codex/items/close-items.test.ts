import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { itemsOf } from "../captures.suite.ts";
import { awaitedItems, closeOpenItems } from "./close-items.ts";
import {
  command,
  completed,
  delta,
  end,
  here,
  item,
  message,
  run,
  started,
} from "../connection/frames.suite.ts";
import { endedEvent, observe } from "./turn-machine.ts";

describe("closing what codex leaves open", () => {
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

test("a command that is closed says what became of its process, as far as anybody has looked", () => {
  const [state] = run([started(command("a", { processId: "7" })), end("interrupted")]);
  for (const [goesOn, fate] of [
    [true, "; it is still running"],
    [false, "; it was ended"],
    [undefined, "; it may still be running"],
  ] as const) {
    const [, events] = closeOpenItems(state, "the turn was stopped", 9, () => goesOn);
    const [closed] = itemsOf(events);
    assert.equal(closed?.kind === "call" && closed.output, `[not finished: the turn was stopped${fate}]`);
  }
});
