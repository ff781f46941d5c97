import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../test/seeded.ts";
import { type Message, messageText } from "../core/messages.ts";
import type { TurnRecord } from "../core/session.ts";
import { turnId, turns } from "./arbitrary.suite.ts";
import { history, cutOffResult } from "./history.ts";
import { validHistory } from "../../test/valid-history.ts";

const user = (content: string): Message => ({ role: "user", content });
const says = (content: string, reasoning?: string): Message => ({
  role: "assistant",
  content,
  ...(reasoning === undefined ? {} : { reasoning }),
});
const calls = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "exec_command", arguments: "{}" })),
});
const result = (toolCallId: string, content: string): Message => ({ role: "tool", toolCallId, content });
const turn = (messages: readonly Message[], more: Partial<TurnRecord["turn"]> = {}): TurnRecord => ({
  turn: { id: turnId(1), state: "done", ...more },
  messages,
});
const noteOf = (more: Partial<TurnRecord["turn"]>) => history([turn([user("hi")], more)]).at(-1)?.content;
/** Who says what, and which calls it makes or answers. */
const outline = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) => {
    const ids = message.role === "assistant" ? (message.toolCalls ?? []).map((call) => call.id) : [];
    if (message.role === "tool") ids.push(message.toolCallId);
    return [message.role, ...ids, messageText(message)].filter((word) => word !== "").join(" ");
  });

describe("a turn that went well", () => {
  test("keeps each call with its result", () => {
    const rows = [user("hi"), calls("a"), result("a", "1"), calls("b"), result("b", "2"), says("done")];
    assert.deepEqual(history([turn(rows)]), rows);
  });

  test("joins assistant rows that neighbour: words, reasoning, then calls", () => {
    assert.deepEqual(
      history([
        turn([
          user("hi"),
          says("Let me see.", "why"),
          says("Now.", "how"),
          calls("a"),
          result("a", "1"),
          says("ok"),
        ]),
      ]),
      [
        user("hi"),
        { ...calls("a"), content: "Let me see.\n\nNow.", reasoning: "why\n\nhow" },
        result("a", "1"),
        says("ok"),
      ],
    );
  });

  test("joins calls that neighbour, and puts their results in the order of the calls", () => {
    const rows = [user("hi"), calls("a"), calls("b"), result("b", "2"), result("a", "1"), says("ok")];
    assert.deepEqual(outline(history([turn(rows)])), [
      "user hi",
      "assistant a b",
      "tool a 1",
      "tool b 2",
      "assistant ok",
    ]);
  });

  test("says so when the model had no words", () => {
    assert.deepEqual(outline(history([turn([user("hi")])])), [
      "user hi",
      "assistant [This turn ended without an answer]",
    ]);
  });
});

describe("a turn that was cut off", () => {
  test("has a result for an open call, which says that it was interrupted", () => {
    const cut = [user("hi"), calls("a"), result("a", "1"), calls("b")];
    assert.deepEqual(outline(history([turn(cut, { state: "interrupted" })])), [
      "user hi",
      "assistant a",
      "tool a 1",
      "assistant b",
      `tool b ${cutOffResult}`,
      "assistant [This turn was stopped before there was an answer]",
    ]);
  });

  test("puts words that were recovered later after the result of the open call", () => {
    const rows = [user("hi"), calls("a"), says("All done.")];
    assert.deepEqual(outline(history([turn(rows)])), [
      "user hi",
      "assistant a",
      `tool a ${cutOffResult}`,
      "assistant All done.",
    ]);
  });

  test("leaves out a result whose call is not there", () => {
    const rows = [
      user("hi"),
      result("ghost", "boo"),
      calls("a"),
      result("a", "1"),
      result("a", "again"),
      says("ok"),
    ];
    assert.deepEqual(outline(history([turn(rows)])), ["user hi", "assistant a", "tool a 1", "assistant ok"]);
  });

  test("says in one line why there is no answer", () => {
    const fault = { code: "quota", message: "The plan is used up\nuntil Monday.", next: "Wait." } as const;
    assert.equal(
      noteOf({ state: "failed", fault }),
      "[This turn ended without an answer: The plan is used up until Monday.]",
    );
    assert.equal(noteOf({ state: "failed" }), "[This turn ended without an answer]");
    assert.equal(noteOf({ state: "interrupted" }), "[This turn was stopped before there was an answer]");
    const long = { ...fault, message: "😀".repeat(1000) };
    assert.equal(
      noteOf({ state: "failed", fault: long }),
      `[This turn ended without an answer: ${"😀".repeat(300)}…]`,
    );
  });

  test("reads the same while it is open and once it is marked interrupted", () => {
    const rows = [user("hi"), calls("a")];
    assert.deepEqual(
      history([turn(rows, { state: "open" })]),
      history([turn(rows, { state: "interrupted" })]),
    );
  });

  test("keeps what the model said before it failed, without a note", () => {
    const rows = [user("hi"), says("Half an ans")];
    assert.deepEqual(history([turn(rows, { state: "failed" })]), rows);
  });
});

const meanwhile = (before: string, ...words: readonly string[]): string =>
  [before, ...words.map((said) => `[The person you work for says meanwhile:]\n${said}`)].join("\n\n");

describe("what the person said while a turn ran", () => {
  test("stands below the result that came next, and the turn still has one message of the user", () => {
    const rows = [
      user("hi"),
      calls("a"),
      result("a", "1"),
      user("stop that"),
      user("please"),
      calls("b"),
      result("b", "2"),
      says("ok"),
    ];
    assert.deepEqual(history([turn(rows)]), [
      user("hi"),
      calls("a"),
      result("a", "1"),
      calls("b"),
      result("b", meanwhile("2", "stop that", "please")),
      says("ok"),
    ]);
  });

  test("stands below the last result when none came afterwards", () => {
    const rows = [user("hi"), calls("a"), result("a", ""), user("stop that"), says("ok")];
    assert.deepEqual(
      history([turn(rows)])[2],
      result("a", "[The person you work for says meanwhile:]\nstop that"),
    );
  });

  test("joins the words that began the turn when there is no result, and when it is more than words", () => {
    assert.deepEqual(history([turn([user("hi"), says("well"), user("and?"), says("so")])]), [
      user("hi\n\nand?"),
      says("well\n\nso"),
    ]);
    assert.deepEqual(
      outline(history([turn([user("hi"), user("now"), calls("a")], { state: "interrupted" })]))[0],
      "user hi\n\nnow",
    );
    const picture = { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" } as const;
    const rows = [
      user("hi"),
      { role: "user", content: [picture] } as const,
      calls("a"),
      result("a", "1"),
      says("ok"),
    ];
    assert.deepEqual(history([turn(rows)])[0], {
      role: "user",
      content: [{ type: "text", text: "hi" }, picture],
    });
  });
});

describe("odd rows", () => {
  test("a call id that comes again gets a suffix in call and result alike", () => {
    const once = turn([
      user("hi"),
      calls("call_1"),
      result("call_1", "x"),
      calls("call_1"),
      result("call_1", "y"),
    ]);
    const next = turn([user("more"), calls("call_1_2"), result("call_1_2", "z"), says("ok")]);
    assert.deepEqual(
      outline(history([once, next])).filter((line) => line.startsWith("tool")),
      ["tool call_1 x", "tool call_1_2 y", "tool call_1_2_2 z"],
    );
  });

  test("a great many calls with the same id are told apart", () => {
    const rows = Array.from({ length: 2000 }, () => [calls("call_1"), result("call_1", "x")]).flat();
    const ids = outline(history([turn([user("hi"), ...rows, says("ok")])]));
    assert.equal(ids.at(-2), "tool call_1_2000 x");
  });

  test("two messages of the user in a row become one", () => {
    const picture = { type: "image", name: "a.png", mediaType: "image/png", base64: "AA==" } as const;
    assert.deepEqual(history([turn([user("one"), user("two"), says("ok")])])[0], user("one\n\ntwo"));
    assert.deepEqual(history([turn([user("look"), { role: "user", content: [picture] }, says("ok")])])[0], {
      role: "user",
      content: [{ type: "text", text: "look" }, picture],
    });
  });

  test("a turn without a user's row gets one, and a turn without rows is left out", () => {
    assert.deepEqual(outline(history([turn([]), turn([says("ok")])])), [
      "user [The message that began this turn is missing]",
      "assistant ok",
    ]);
  });
});

describe("any turns, cut off anywhere", () => {
  test("make a valid history to which the next message can be added", () => {
    fc.assert(
      fc.property(turns, (records) => {
        const made = history(records);
        assert.equal(validHistory(made), undefined);
        assert.equal(validHistory([...made, user("next")]), undefined);
      }),
      { numRuns: 500 },
    );
  });

  test("stay valid at every row that was committed", () => {
    fc.assert(
      fc.property(turns, (records) => {
        const last = records.at(-1)?.messages ?? [];
        for (const kept of [...last.keys(), last.length]) {
          const open = turn(last.slice(0, kept), { state: "open" });
          assert.equal(validHistory([...history([...records.slice(0, -1), open]), user("next")]), undefined);
        }
      }),
    );
  });

  test("begin with exactly one message of the user each, whatever was said into them", () => {
    fc.assert(
      fc.property(turns, (records) => {
        for (const record of records) {
          const roles = history([record]).map(({ role }) => role);
          assert.deepEqual(
            roles.flatMap((role, at) => (role === "user" ? [at] : [])),
            roles.length === 0 ? [] : [0],
          );
        }
      }),
    );
  });

  test("begin with the history of fewer of them, so that prompt caches hold", () => {
    fc.assert(
      fc.property(turns, fc.nat(6), (records, count) => {
        const fewer = history(records.slice(0, count));
        assert.deepEqual(history(records).slice(0, fewer.length), fewer);
      }),
    );
  });

  test("give the same bytes each time and are left as they were", () => {
    fc.assert(
      fc.property(turns, (records) => {
        const before = JSON.stringify(records);
        assert.equal(JSON.stringify(history(records)), JSON.stringify(history(records)));
        assert.equal(JSON.stringify(records), before);
      }),
    );
  });

  test("lose no word of the user or the assistant, and no call", () => {
    fc.assert(
      fc.property(turns, (records) => {
        const rows = records.flatMap((record) => record.messages);
        const made = history(records);
        const heard = made.map(messageText).join("\n");
        for (const row of rows) {
          if (row.role === "tool" || messageText(row).trim() === "") continue;
          assert.ok(heard.includes(messageText(row)), `${messageText(row)} in ${heard}`);
        }
        assert.equal(made.flatMap(callsOf).length, rows.flatMap(callsOf).length);
      }),
    );
  });
});

const callsOf = (message: Message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []);
