import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { type Message, messageText } from "../core/messages.ts";
import { turnId, turns as anyTurns } from "./arbitrary.suite.ts";
import { compactionBorder } from "./compaction-border.ts";
import { type CompactionView, compactedHistory, largeResult } from "./compaction.ts";
import { history } from "./history.ts";
import type { NumberedTurn } from "./numbered-turn.ts";
import { validHistory } from "../../test/valid-history.ts";

const numbered: fc.Arbitrary<readonly NumberedTurn[]> = anyTurns.map((list) => {
  let seq = 10;
  return list.map(({ turn, messages }) => ({
    turn,
    rows: messages.map((message) => ({ seq: (seq += 2), message })),
  }));
});

const compaction: fc.Arbitrary<CompactionView> = fc
  .record({
    upTo: fc.integer({ min: 0, max: 140 }),
    summary: fc.option(fc.constantFrom("## Goal\nfinish", "S"), { nil: undefined }),
    pinned: fc.array(fc.constantFrom("pin one", "pin: two"), { maxLength: 2 }),
  })
  .map(({ summary, ...rest }) => ({ ...rest, ...(summary === undefined ? {} : { summary }) }));

const tail = fc.record({ messages: fc.integer({ min: 0, max: 12 }), characters: fc.nat({ max: 60 }) });

const newestWords = (turns: readonly NumberedTurn[]): string | undefined => {
  const rows = turns.flatMap(({ rows: own }) => own);
  const last = rows.findLast(({ message }) => message.role === "user");
  return last && messageText(last.message);
};
/** Where words of the person can stand: what they said into a running turn is below a result. */
const heardIn = (view: readonly Message[]): readonly string[] =>
  view.flatMap((message) => (message.role === "assistant" ? [] : [messageText(message)]));

describe("a compacted history", () => {
  test("is valid and has the newest words of the person, whatever the rows and wherever the border", () => {
    fc.assert(
      fc.property(numbered, fc.array(compaction, { maxLength: 3 }), (turns, compactions) => {
        const view = compactedHistory(turns, compactions);
        assert.equal(validHistory(view), undefined);
        const newest = newestWords(turns);
        if (newest !== undefined && newest.trim() !== "")
          assert.ok(heardIn(view).some((words) => words.includes(newest)));
        const summary = compactions.findLast((one) => one.summary !== undefined);
        if (summary === undefined || turns.length === 0) return;
        const texts = view.map(messageText).join("\n");
        for (const line of [summary.summary ?? "", ...summary.pinned]) assert.ok(texts.includes(line));
      }),
      { numRuns: 400 },
    );
  });

  test("without a compaction is the history", () => {
    fc.assert(
      fc.property(numbered, (turns) => {
        const plain = turns.map(({ turn, rows }) => ({ turn, messages: rows.map(({ message }) => message) }));
        assert.deepEqual(compactedHistory(turns, []), history(plain));
      }),
    );
  });

  test("cut at a border of ours keeps every call behind it with its result, and only grows with more turns", () => {
    fc.assert(
      fc.property(numbered, numbered, tail, (turns, later, kept) => {
        const upTo = compactionBorder(turns, kept);
        if (upTo === undefined) return;
        for (const { rows } of turns) {
          const open = new Map<string, number[]>();
          for (const { seq, message } of rows) {
            for (const { id } of message.role === "assistant" ? (message.toolCalls ?? []) : [])
              open.set(id, [...(open.get(id) ?? []), seq]);
            if (message.role !== "tool") continue;
            const call = open.get(message.toolCallId)?.shift();
            if (call !== undefined) assert.equal(call > upTo, seq > upTo);
          }
        }
        const compactions = [{ upTo, summary: "S", pinned: [] }];
        const view = compactedHistory(turns, compactions);
        const more = later.map(({ turn, rows }) => ({
          turn,
          rows: rows.map(({ seq, message }) => ({ seq: seq + 1_000, message })),
        }));
        const grown = compactedHistory([...turns, ...more], compactions);
        const newest = turns.findLast(({ rows }) => rows.some(({ message }) => message.role === "user"));
        const left = newest?.rows.some(({ seq }) => seq > upTo) === true;
        if (left) assert.deepEqual(grown.slice(0, view.length), view);
      }),
      { numRuns: 400 },
    );
  });
});

const user = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });
const call = (id: string): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id, name: "terminal", arguments: "{}" }],
});
const result = (id: string, content: string): Message => ({ role: "tool", toolCallId: id, content });

/** Turns whose rows are numbered from 1. */
function conversation(...turns: readonly (readonly Message[])[]): readonly NumberedTurn[] {
  let seq = 0;
  return turns.map((messages, at) => ({
    turn: { id: turnId(at), state: "done" },
    rows: messages.map((message) => ({ seq: (seq += 1), message })),
  }));
}

describe("a summary", () => {
  const texts = (list: readonly CompactionView[]) => compactedHistory(turns, list).map(messageText).join();
  const turns = conversation(
    [user("build it"), says("built")],
    [user("test it"), call("a"), result("a", "ok"), says("tested")],
    [user("ship it"), says("shipped")],
  );

  test("stands after the first words of the person, in the place of what it covers", () => {
    assert.deepEqual(
      compactedHistory(turns, [{ upTo: 6, summary: "Built and tested.", pinned: ["never force-push"] }]),
      [
        user("build it"),
        says(
          "[What was said here is given as a summary; the messages themselves are kept, and session_search finds them.]\n\nBuilt and tested.\n\nThe person wants these lines to be kept word for word:\n- never force-push",
        ),
        user("ship it"),
        says("shipped"),
      ],
    );
  });

  test("that ends inside a turn leaves the person's words of that turn", () => {
    const view = compactedHistory(turns, [{ upTo: 5, summary: "S", pinned: [] }]);
    const users = view.filter(({ role }) => role === "user").map(messageText);
    assert.deepEqual(users, ["build it", "test it", "ship it"]);
    assert.equal(view.length, 6);
  });

  test("that ends inside a turn leaves what was said into it with the words that began it, and not in a later result", () => {
    const steered = conversation(
      [user("build it"), says("built")],
      [user("test it"), user("kindly"), call("a"), result("a", "1"), call("b"), result("b", "2"), says("ok")],
    );
    const view = compactedHistory(steered, [{ upTo: 6, summary: "S", pinned: [] }]);
    assert.deepEqual(view.slice(2), [user("test it\n\nkindly"), call("b"), result("b", "2"), says("ok")]);
  });

  test("gives way to the newer one, and comes back when that is taken away", () => {
    const older = { upTo: 2, summary: "older", pinned: [] };
    const newer = { upTo: 6, summary: "newer", pinned: [] };
    assert.match(texts([older, newer]), /newer/);
    assert.doesNotMatch(texts([older, newer]), /older/);
    assert.match(texts([older]), /older/);
  });
});

describe("the border", () => {
  const turns = conversation(
    [user("one"), says("0"), says("1")],
    [user("two"), call("a"), result("a", "ok"), says("2")],
    [user("three"), says("3")],
  );
  const wide = { messages: 20, characters: 10_000 };

  test("leaves the last messages, as many as are wanted and fit", () => {
    assert.equal(compactionBorder(turns, { ...wide, messages: 2 }), 7);
    assert.equal(compactionBorder(turns, { messages: 20, characters: 6 }), 7);
    assert.equal(compactionBorder(turns, { messages: 20, characters: 0 }), 8);
    assert.equal(compactionBorder(turns, wide), undefined);
  });

  test("does not part a call from its result", () => {
    assert.equal(compactionBorder(turns, { ...wide, messages: 4 }), 4);
  });

  test("is none where only what is kept anyway would be covered", () => {
    assert.equal(compactionBorder(turns, { ...wide, messages: 8 }), undefined);
    assert.equal(compactionBorder(turns, { ...wide, messages: 2 }, 7), undefined);
  });
});

describe("a large old result", () => {
  test("is cut to its beginning and a line that says where the rest is; a new one is whole", () => {
    const long = `.${"😀".repeat(largeResult)}`;
    const turns = conversation(
      [user("a"), call("a"), result("a", long), says("1")],
      [user("b"), call("b"), result("b", long), says("2")],
    );
    const view = compactedHistory(turns, [{ upTo: 4, pinned: [] }]);
    const results = view.flatMap((message) => (message.role === "tool" ? [message.content] : []));
    assert.match(results[0] ?? "", /^\.😀+.?…\n\[\d+ more characters .*session_search/u);
    assert.ok((results[0] ?? "").isWellFormed() && (results[0] ?? "").length < 400);
    assert.equal(results[1], long);
  });
});
