import type { Message, ToolCall } from "../src/core/messages.ts";

/**
 * Why a model API could refuse these messages, or `undefined` when the roles alternate strictly: a user comes first and
 * after an assistant's words, an assistant after a user or after all results of its calls, results in the order of the
 * calls, and no call id twice. It may end with a user (a request) as well as with an assistant or its results.
 */
export function validHistory(messages: readonly Message[]): string | undefined {
  const used = new Set<string>();
  let open: readonly ToolCall[] = [];
  let before: Message["role"] | undefined;
  for (const [at, message] of messages.entries()) {
    const wrong = wrongPlace(message, before, open) ?? wrongCalls(message, used);
    if (wrong !== undefined) return `message ${at} (${message.role}): ${wrong}`;
    if (message.role === "assistant") open = message.toolCalls ?? [];
    if (message.role === "tool") open = open.slice(1);
    before = message.role;
  }
  return open.length === 0 ? undefined : `at the end: the call ${open[0]?.id} has no result`;
}

function wrongPlace(
  message: Message,
  before: Message["role"] | undefined,
  open: readonly ToolCall[],
): string | undefined {
  const [expected] = open;
  if (message.role === "tool") {
    if (expected === undefined) {
      return `a result for ${message.toolCallId}, which no call before it waits for`;
    }
    if (expected.id === message.toolCallId) return undefined;
    return `a result for ${message.toolCallId} where that of ${expected.id} has to come`;
  }
  if (expected !== undefined) return `the call ${expected.id} before it has no result`;
  if (message.role === "user") {
    return before === undefined || before === "assistant"
      ? undefined
      : `a user message after a ${before} message`;
  }
  return before === "user" || before === "tool"
    ? undefined
    : `an assistant message after ${before ?? "nothing"}`;
}

function wrongCalls(message: Message, used: Set<string>): string | undefined {
  if (message.role !== "assistant") return undefined;
  const calls = message.toolCalls ?? [];
  if (calls.length === 0 && message.content.trim() === "") return "it says nothing and calls nothing";
  for (const { id } of calls) {
    if (id === "" || used.has(id)) {
      return id === "" ? "a call without an id" : `the call id ${id} is used twice`;
    }
    used.add(id);
  }
  return undefined;
}
