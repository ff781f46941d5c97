import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../../test/seeded.ts";
import type { TurnEvent } from "../../../core/events.ts";
import { captureLines, endsOf, itemsOf, rowsOf } from "../captures.suite.ts";
import { closeOpenItems } from "./close-items.ts";
import { replay } from "../recording/replay.ts";
import { beginTurn, endedEvent, observe } from "./turn-machine.ts";

/** Recordings with every kind of item and end; what happens to their frames is up to chance. */
const names = [
  "commentary-phase",
  "reasoning-text",
  "patch-approval-accept",
  "interrupt-then-clean",
  "err-disconnect-then-ok",
  "dynamic-tools",
  "mcp-behaviours",
  "fork-revert-compact",
  "plan-mode",
];
const recordings = names.map(captureLines);
const recording = fc.constantFrom(...recordings);
const runs = { numRuns: 150 };

const drop = fc.tuple(recording, fc.array(fc.nat(), { maxLength: 10 })).map(([lines, gone]) => {
  const out = new Set(gone.map((at) => at % lines.length));
  return lines.filter((_, at) => !out.has(at));
});
const twice = fc
  .tuple(recording, fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }))
  .map(([lines, often]) => lines.flatMap((line, at) => (often[at % 16] === true ? [line, line] : [line])));
const shuffled = fc
  .tuple(recording, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 6 })), { maxLength: 20 }))
  .map(([lines, moves]) => {
    const list = [...lines];
    for (const [from, by] of moves) {
      const [line] = list.splice(from % list.length, 1);
      list.splice((from % list.length) + by, 0, line ?? "");
    }
    return list;
  });

/** A piece of JSON replaced by something else, anywhere. */
const mutated = fc
  .tuple(
    recording,
    fc.array(fc.tuple(fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 1 })), { minLength: 1, maxLength: 12 }),
  )
  .map(([lines, changes]) => {
    const list = [...lines];
    for (const [line, fixture, value] of changes) {
      const at = line % list.length;
      list[at] = mutate(list[at] ?? "", fixture, value);
    }
    return list;
  });

function mutate(line: string, fixture: number, value: unknown): string {
  const tree: unknown = JSON.parse(line);
  const spots: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const key of Object.keys(node)) {
      spots.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk((tree as { msg: unknown }).msg);
  const spot = spots[fixture % Math.max(1, spots.length)];
  if (spot !== undefined) spot[0][spot[1]] = value;
  return JSON.stringify(tree);
}

function checkTurn(events: readonly TurnEvent[]): void {
  assert.ok(endsOf(events).length <= 1, "a turn ends at most once");
  const items = itemsOf(events);
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length, "no id twice");
  for (const item of items) {
    if (item.kind === "call") assert.ok(item.callId.startsWith("codex_") && item.tool !== "");
    if (item.kind === "text" || item.kind === "thinking") assert.notEqual(item.text.trim(), "");
  }
  const calls = rowsOf(events).flatMap((row) => (row.role === "assistant" ? (row.toolCalls ?? []) : []));
  const results = rowsOf(events).flatMap((row) => (row.role === "tool" ? [row.toolCallId] : []));
  assert.deepEqual(
    calls.map(({ id }) => id),
    results,
    "every call has its result",
  );
  const begun = events.flatMap((event) => (event.type === "begin" ? [event.item.id] : []));
  assert.equal(new Set(begun).size, begun.length, "no item begins twice");
}

for (const [what, lines] of Object.entries({ dropped: drop, doubled: twice, shuffled, changed: mutated })) {
  test(`frames may be ${what}: nothing throws, no item comes twice, every call has its result`, () => {
    fc.assert(
      fc.property(lines, (frames) => {
        const { turns } = replay(frames);
        for (const { events } of turns) checkTurn(events);
        assert.deepEqual(replay(frames).turns, turns);
      }),
      runs,
    );
  });
}

test("doubled frames give the same transcript as single ones", () => {
  for (const lines of recordings) {
    const rows = replay(lines).turns.map(({ events }) => rowsOf(events));
    const doubled = lines.flatMap((line) => [line, line]);
    assert.deepEqual(
      replay(doubled).turns.map(({ events }) => rowsOf(events)),
      rows,
    );
  }
});

test("any value at all can be thrown at the machine", () => {
  const method = fc.constantFrom(
    "item/started",
    "item/completed",
    "turn/completed",
    "turn/plan/updated",
    "turn/diff/updated",
    "error",
    "warning",
    "configWarning",
    "thread/tokenUsage/updated",
    "account/rateLimits/updated",
    "thread/status/changed",
    "item/agentMessage/delta",
    "item/reasoning/summaryPartAdded",
    "item/fileChange/patchUpdated",
    "item/mcpToolCall/progress",
    "toString",
  );
  const types = [
    "agentMessage",
    "reasoning",
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "dynamicToolCall",
    "imageGeneration",
    "collabAgentToolCall",
    "constructor",
  ];
  const item = fc.record(
    {
      type: fc.constantFrom(...types),
      id: fc.constantFrom("a", "b"),
      text: fc.anything(),
      changes: fc.anything(),
      contentItems: fc.anything(),
      result: fc.anything(),
      arguments: fc.anything(),
      agentsStates: fc.anything(),
      summary: fc.anything(),
      startedAtMs: fc.constantFrom(1, 2, null),
    },
    { requiredKeys: ["type"] },
  );
  const params = fc.oneof(
    fc.anything(),
    fc.record(
      {
        item,
        turn: fc.anything(),
        error: fc.anything(),
        itemId: fc.constantFrom("a", "c"),
        delta: fc.anything(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ method, params }), { maxLength: 30 }), (frames) => {
      let state = beginTurn({ threadId: "T", turnId: "U", cwd: "/" });
      const events: TurnEvent[] = [];
      for (const frame of frames) {
        const before = JSON.stringify([...state.open, ...state.done]);
        const [next, said] = observe(state, frame, 1);
        assert.equal(
          JSON.stringify([...state.open, ...state.done]),
          before,
          "the state before is not touched",
        );
        state = next;
        events.push(...said);
      }
      const [closed, last] = closeOpenItems(state, "enough", 2);
      assert.equal(closed.open.size, 0);
      checkTurn([...events, ...last, endedEvent(closed, "done")]);
      assert.ok(closed.drift.size <= 41);
    }),
    { numRuns: 400 },
  );
});
