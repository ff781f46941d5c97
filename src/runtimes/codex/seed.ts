import { isPlainObject, type Json } from "../../core/json.ts";
import { type Message, messageText } from "../../core/messages.ts";
import { inputItems } from "../../models/responses/body.ts";

/** What is kept about a session's codex thread. */
export type ThreadBinding = {
  readonly thread: string;
  /** How long the history was when the thread's last turn began: that turn and all before it are known to it. */
  readonly at: number;
  /** Codex's id of that turn. It may have ended before it had written the turn down. */
  readonly turn?: string;
  /** Codex ended in the middle of that turn. */
  readonly cut?: boolean;
  /** How much of the history it was told after that. Gone once a turn of its own has begun. */
  readonly told?: number;
  /** The host tools it was started with. They cannot be changed later. */
  readonly tools: string;
};

export function readBinding(value: Json | undefined): ThreadBinding | undefined {
  if (!isPlainObject(value)) return undefined;
  const { thread, at, turn, cut, told, tools } = value;
  if (typeof thread !== "string" || typeof at !== "number" || typeof tools !== "string") return undefined;
  return {
    thread,
    at,
    tools,
    ...(typeof turn === "string" ? { turn } : {}),
    ...(cut === true ? { cut } : {}),
    ...(typeof told === "number" ? { told } : {}),
  };
}

/**
 * What the thread has not seen: turns that ran on another runtime after its own last one. History only ever grows, and
 * each turn begins with exactly one user message. `undefined`: the history is not the one that was bound.
 */
export function unseen(
  history: readonly Message[],
  { at, told }: ThreadBinding,
): readonly Message[] | undefined {
  const known = told ?? at;
  if (known > history.length || (known < history.length && history[known]?.role !== "user")) return undefined;
  if (told !== undefined) return history.slice(told);
  const next = history.findIndex((message, index) => index > at && message.role === "user");
  return next < 0 ? [] : history.slice(next);
}

/**
 * The last results of a turn in which codex ended. It may have told us of them before it wrote them down, and would then
 * tell the model that those calls were aborted.
 */
export function lateResults(history: readonly Message[], { at, cut, told }: ThreadBinding): readonly Json[] {
  if (cut !== true || told !== undefined) return [];
  const next = history.findIndex((message, index) => index > at && message.role === "user");
  const own = history.slice(at, next < 0 ? history.length : next);
  const asked = own.findLast((message) => message.role === "assistant" && message.toolCalls !== undefined);
  if (asked?.role !== "assistant") return [];
  const results = (asked.toolCalls ?? []).map(({ id, name, arguments: args }) => {
    const result = own.find((message) => message.role === "tool" && message.toolCallId === id);
    return `${name} ${args}\n${(result === undefined ? "" : messageText(result)).slice(0, longestResult)}`;
  });
  const text = [cutOff, ...results].join("\n\n");
  return [{ type: "message", role: "developer", content: [{ type: "input_text", text }] }];
}

const longestResult = 4_000;
const cutOff =
  "Codex ended in the middle of the last turn. Its last calls came back as follows, whatever is said of them above.";

/** Messages as the items that `thread/inject_items` takes. */
export const seedItems = (messages: readonly Message[]): readonly Json[] => messages.flatMap(inputItems);
