import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import type { Message } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";
import { turnId, turns } from "./arbitrary.suite.ts";
import { reviewDue } from "./review-due.ts";

const every = { turns: 3, calls: 4 };
const neither = { memory: false, skills: false };

/** A turn that calls these tools and then answers. */
const turn = (
  n: number,
  tools: readonly string[] = [],
  state: TurnRecord["turn"]["state"] = "done",
): TurnRecord => ({
  turn: { id: turnId(n), state },
  messages: [
    { role: "user", content: "hi" },
    ...tools.flatMap((name, at): Message[] => [
      { role: "assistant", content: "", toolCalls: [{ id: `c${n}_${at}`, name, arguments: "{}" }] },
      { role: "tool", toolCallId: `c${n}_${at}`, content: "" },
    ]),
    { role: "assistant", content: "ok" },
  ],
});
const back = (record: TurnRecord): TurnRecord => ({ ...record, turn: { ...record.turn, undone: true } });
const quiet = (count: number, first = 1): TurnRecord[] =>
  Array.from({ length: count }, (_, n) => turn(first + n));

const afterSkill = (calls: number): TurnRecord[] => [
  turn(1, ["a", "a", "a", "skill_manage", ...Array<string>(calls).fill("a")]),
];
/** Enough for both reviews, if the last turn is good. */
const busy = (state: TurnRecord["turn"]["state"]): TurnRecord[] => [
  ...quiet(3),
  turn(4, ["a", "a", "a", "a"], state),
];

describe("memory", () => {
  test("is due after as many user turns as are set", () => {
    assert.equal(reviewDue(quiet(2), every).memory, false);
    assert.equal(reviewDue(quiet(3), every).memory, true);
  });

  test("counts anew after the turn in which the model wrote memory itself", () => {
    const used = [turn(1), turn(2, ["memory"])];
    assert.equal(reviewDue([...used, ...quiet(2, 3)], every).memory, false);
    assert.equal(reviewDue([...used, ...quiet(3, 3)], every).memory, true);
  });

  test("counts anew after the last review", () => {
    const facts = { reviewed: { memory: turnId(3) } };
    assert.equal(reviewDue(quiet(5), every, facts).memory, false);
    assert.equal(reviewDue(quiet(6), every, facts).memory, true);
  });

  test("does not count turns that were taken back, but what they wrote and the review after them", () => {
    const taken = [turn(1), back(turn(2)), back(turn(3)), turn(4)];
    assert.equal(reviewDue(taken, every).memory, false);
    assert.equal(reviewDue([...taken, turn(5)], every).memory, true);
    const wrote = [...quiet(2), back(turn(3, ["memory"])), ...quiet(2, 4)];
    assert.equal(reviewDue(wrote, every).memory, false);
    const facts = { reviewed: { memory: turnId(3) } };
    assert.equal(reviewDue([...quiet(2), back(turn(3)), ...quiet(2, 4)], every, facts).memory, false);
    assert.equal(reviewDue([...quiet(3), back(turn(4))], every).memory, false);
    assert.equal(reviewDue([back(turn(1, ["a", "a", "a"])), turn(2, ["a"])], every).skills, false);
  });

  test("does not count a turn that no user began", () => {
    const unbidden: TurnRecord = {
      turn: { id: turnId(9), state: "done" },
      messages: [{ role: "assistant", content: "Good morning." }],
    };
    assert.equal(reviewDue([unbidden, ...quiet(2)], every).memory, false);
    assert.equal(reviewDue([unbidden, ...quiet(3)], every).memory, true);
  });

  test("counts everything when the last review lies before the records", () => {
    assert.equal(reviewDue(quiet(3), every, { reviewed: { memory: turnId(99) } }).memory, true);
  });
});

describe("skills", () => {
  test("are due after as many tool calls as are set, over several turns", () => {
    const two = ["exec_command", "web_search"];
    assert.equal(reviewDue([turn(1, two), turn(2, ["exec_command"])], every).skills, false);
    assert.equal(reviewDue([turn(1, two), turn(2, two)], every).skills, true);
  });

  test("count anew after the model wrote a skill itself, within a turn too", () => {
    assert.equal(reviewDue(afterSkill(3), every).skills, false);
    assert.equal(reviewDue(afterSkill(4), every).skills, true);
  });

  test("count anew after the last review", () => {
    const four = ["a", "a", "a", "a"];
    const facts = { reviewed: { skills: turnId(1) } };
    assert.equal(reviewDue([turn(1, four), turn(2)], every, facts).skills, false);
    assert.equal(reviewDue([turn(1, four), turn(2, four)], every, facts).skills, true);
  });

  test("a memory review does not count as one of skills", () => {
    const facts = { reviewed: { memory: turnId(1) } };
    assert.deepEqual(reviewDue([turn(1, ["a", "a", "a", "a"]), turn(2)], every, facts), {
      memory: false,
      skills: true,
    });
  });
});

describe("nothing is due", () => {
  test("when 0 is set", () => {
    assert.deepEqual(reviewDue(busy("done"), { turns: 0, calls: 0 }), neither);
  });

  test("when the tool to write with is off", () => {
    assert.deepEqual(reviewDue(busy("done"), every), { memory: true, skills: true });
    assert.deepEqual(reviewDue(busy("done"), every, { enabled: { memory: false, skills: false } }), neither);
  });

  test("after a turn that is not done", () => {
    for (const state of ["open", "failed", "interrupted", "unconfirmed"] as const) {
      assert.deepEqual(reviewDue(busy(state), every), neither);
    }
  });

  test("after a turn without an answer, until a good one comes", () => {
    const silent: TurnRecord = {
      turn: { id: turnId(5), state: "done" },
      messages: [{ role: "user", content: "hi" }],
    };
    assert.deepEqual(reviewDue([...busy("done"), silent], every), neither);
    assert.deepEqual(reviewDue([...busy("done"), silent, turn(6)], every), { memory: true, skills: true });
  });

  test("after no turns at all", () => {
    assert.deepEqual(reviewDue([], every), neither);
  });
});

test("once a review of everything so far is marked, nothing is due, whatever the turns", () => {
  fc.assert(
    fc.property(turns, (records) => {
      const last = records.at(-1)?.turn.id;
      const reviewed = last === undefined ? {} : { memory: last, skills: last };
      assert.deepEqual(reviewDue(records, { turns: 1, calls: 1 }, { reviewed }), neither);
    }),
  );
});
