import { isPlainObject, type Json } from "../../core/json.ts";
import type { Message } from "../../core/messages.ts";
import { inputItems } from "../../models/responses/body.ts";

/** What is kept about a session's codex thread. */
export type ThreadBinding = {
  readonly thread: string;
  /** How long the history was when the thread's last turn began: that turn and all before it are known to it. */
  readonly at: number;
  /** How much of the history it was told after that. Gone once a turn of its own has begun. */
  readonly told?: number;
  /** The host tools it was started with. They cannot be changed later. */
  readonly tools: string;
};

export function readBinding(value: Json | undefined): ThreadBinding | undefined {
  if (!isPlainObject(value)) return undefined;
  const { thread, at, told, tools } = value;
  if (typeof thread !== "string" || typeof at !== "number" || typeof tools !== "string") return undefined;
  return { thread, at, tools, ...(typeof told === "number" ? { told } : {}) };
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

/** Messages as the items that `thread/inject_items` takes. */
export const seedItems = (messages: readonly Message[]): readonly Json[] => messages.flatMap(inputItems);
