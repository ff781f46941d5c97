import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../../core/json.ts";
import type { Message } from "../../../core/messages.ts";
import { portsOf, turnOf } from "../../runtime.suite.ts";
import { leaveTurn, readBinding, seedItems, unseenMessages } from "./seed.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const bound = (at: number) => ({ thread: "t", at, tools: "" });

describe("what a codex thread has not seen", () => {
  const history = [user("a"), said("A"), user("b"), said("B"), user("c"), said("C")];

  test("is nothing when its own turn was the last one", () => {
    assert.deepEqual(unseenMessages(history, bound(4)), []);
  });

  test("is every turn after its own last one", () => {
    assert.deepEqual(unseenMessages(history, bound(2)), [user("c"), said("C")]);
    assert.deepEqual(unseenMessages(history, bound(0)), history.slice(2));
  });

  test("is nothing when its turn has left no trace in the history yet", () => {
    assert.deepEqual(unseenMessages(history, bound(6)), []);
  });

  test("is the end of its own turn too, when that was finished elsewhere", () => {
    assert.deepEqual(unseenMessages(history, { ...bound(2), left: 3 }), history.slice(3));
    assert.deepEqual(unseenMessages(history, { ...bound(4), left: 6 }), []);
    assert.deepEqual(unseenMessages(history, { ...bound(2), left: 3, told: 4 }), history.slice(4));
    assert.equal(unseenMessages(history, { ...bound(4), left: 7 }), undefined);
  });

  test("cannot be told when the history is another one", () => {
    assert.equal(unseenMessages(history, bound(7)), undefined);
    assert.equal(unseenMessages(history, bound(3)), undefined);
  });

  test("goes to codex as items, calls with their results", () => {
    const call = { id: "c1", name: "read_file", arguments: '{"path":"a"}' };
    const items = seedItems([
      user("read a"),
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", toolCallId: "c1", content: "text" },
      said("It says text."),
    ]);
    assert.deepEqual(
      items.map((item) => (item as { type: string }).type),
      ["message", "function_call", "function_call_output", "message"],
    );
  });
});

describe("a turn that is finished elsewhere", () => {
  test("is known to its thread up to what codex has done of it", async () => {
    assert.deepEqual(await leave(bound(2)), { ...bound(2), left: 5 });
  });

  test("is not known to a thread in which it never began", async () => {
    for (const other of [undefined, { ...bound(2), told: 2 }]) assert.deepEqual(await leave(other), other);
    assert.deepEqual(await leave(bound(2), "another"), bound(2));
  });
});

describe("a binding", () => {
  test("is read back as it was kept", () => {
    for (const more of [{}, { turn: "x", cut: true, told: 4 }, { left: 5 }]) {
      const kept = { thread: "t", at: 3, tools: "a,b", ...more };
      assert.deepEqual(readBinding(kept), kept);
    }
  });

  test("of another shape is none", () => {
    for (const value of [undefined, null, "t", [], {}, { thread: "t" }, { thread: 1, at: 1, tools: "" }]) {
      assert.equal(readBinding(value), undefined);
    }
  });
});

/** The binding after a turn with two messages before it was left with two of its own. */
async function leave(binding: Json | undefined, thread = "t"): Promise<Json | undefined> {
  let kept = binding;
  const ports = portsOf([], new AbortController().signal);
  const begun = [said("x"), said("y")];
  await leaveTurn(
    {
      ...turnOf({ history: [user("a"), said("A")] }),
      doneElsewhere: begun,
      side: { thread, turn: "c" },
    },
    {
      ...ports,
      binding: {
        load: async () => kept,
        save: async (value) => {
          kept = value;
        },
      },
    },
  );
  return kept;
}
