import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Message } from "../src/core/messages.ts";
import { validHistory } from "./valid-history.ts";

const user: Message = { role: "user", content: "hi" };
const says: Message = { role: "assistant", content: "hello" };
const calls = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "exec_command", arguments: "{}" })),
});
const result = (toolCallId: string): Message => ({ role: "tool", toolCallId, content: "" });

describe("a valid history", () => {
  const good: Readonly<Record<string, readonly Message[]>> = {
    "may be empty": [],
    "alternates user and assistant": [user, says, user, says],
    "may end with a user": [user, says, user],
    "may end with all results": [user, calls("a"), result("a")],
    "has the results of several calls in their order": [
      user,
      calls("a", "b"),
      result("a"),
      result("b"),
      says,
    ],
    "may go on from results to the next call": [user, calls("a"), result("a"), calls("b"), result("b"), says],
  };
  for (const [name, messages] of Object.entries(good)) {
    test(name, () => assert.equal(validHistory(messages), undefined));
  }
});

describe("an invalid history is told by its reason:", () => {
  const bad: Readonly<Record<string, readonly Message[]>> = {
    "message 0 (assistant): an assistant message after nothing": [says],
    "message 1 (user): a user message after a user message": [user, user],
    "message 2 (assistant): an assistant message after assistant": [user, says, says],
    "message 3 (user): a user message after a tool message": [user, calls("a"), result("a"), user],
    "message 2 (assistant): the call a before it has no result": [user, calls("a"), says],
    "message 2 (user): the call a before it has no result": [user, calls("a"), user],
    "at the end: the call b has no result": [user, calls("a", "b"), result("a")],
    "message 1 (tool): a result for a, which no call before it waits for": [user, result("a")],
    "message 3 (tool): a result for a, which no call before it waits for": [
      user,
      calls("a"),
      result("a"),
      result("a"),
    ],
    "message 2 (tool): a result for b where that of a has to come": [user, calls("a", "b"), result("b")],
    "message 3 (assistant): the call id a is used twice": [user, calls("a"), result("a"), calls("a")],
    "message 1 (assistant): the call id b is used twice": [user, calls("b", "b")],
    "message 1 (assistant): a call without an id": [user, calls("")],
    "message 1 (assistant): it says nothing and calls nothing": [user, { role: "assistant", content: " " }],
  };
  for (const [reason, messages] of Object.entries(bad)) {
    test(reason, () => assert.equal(validHistory(messages), reason));
  }
});
