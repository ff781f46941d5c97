import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Message } from "../../core/messages.ts";
import { readBinding, seedItems, unseen } from "./seed.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const bound = (at: number) => ({ thread: "t", at, tools: "" });

describe("what a codex thread has not seen", () => {
  const history = [user("a"), said("A"), user("b"), said("B"), user("c"), said("C")];

  test("is nothing when its own turn was the last one", () => {
    assert.deepEqual(unseen(history, bound(4)), []);
  });

  test("is every turn after its own last one", () => {
    assert.deepEqual(unseen(history, bound(2)), [user("c"), said("C")]);
    assert.deepEqual(unseen(history, bound(0)), history.slice(2));
  });

  test("is nothing when its turn has left no trace in the history yet", () => {
    assert.deepEqual(unseen(history, bound(6)), []);
  });

  test("cannot be told when the history is another one", () => {
    assert.equal(unseen(history, bound(7)), undefined);
    assert.equal(unseen(history, bound(3)), undefined);
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

describe("a binding", () => {
  test("is read back as it was kept", () => {
    assert.deepEqual(readBinding({ thread: "t", at: 3, tools: "a,b" }), { thread: "t", at: 3, tools: "a,b" });
  });

  test("of another shape is none", () => {
    for (const value of [undefined, null, "t", [], {}, { thread: "t" }, { thread: 1, at: 1, tools: "" }]) {
      assert.equal(readBinding(value), undefined);
    }
  });
});
