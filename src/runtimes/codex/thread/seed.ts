import { isPlainObject, type Json } from "../../../core/json.ts";
import { type Message, messageText } from "../../../core/messages.ts";
import { inputItems } from "../../../models/responses/body.ts";
import type { BegunTurn, Binding, Past, Ports, Turn } from "../../runtime.ts";
import { readSide } from "./turn-side.ts";

/** What is kept about a session's codex thread. */
export type ThreadBinding = {
  readonly thread: string;
  /**
   * How long the history was when the thread's last turn began: that turn and all before it are known to it. Not written
   * with every turn: what is kept with the turns themselves counts more (`located`).
   */
  readonly at: number;
  /** Codex's id of that turn. It may have ended before it had written the turn down. */
  readonly turn?: string;
  /** Codex ended in the middle of that turn. */
  readonly cut?: boolean;
  /** How much of the history it was told after that. Gone once a turn of its own has begun. */
  readonly told?: number;
  /** How much of the history it knows, when that turn was finished elsewhere. Gone like `told`. */
  readonly left?: number;
  /** Its limits were a profile of ours, which it would keep. */
  readonly fenced?: boolean;
  /** Stands for what the project says, as the thread was started with it. */
  readonly project?: string;
  /** It was told later what the project says. */
  readonly projectTold?: boolean;
  /** The host tools it was started with. They cannot be changed later. */
  readonly tools: string;
};

export function readBinding(value: Json | undefined): ThreadBinding | undefined {
  if (!isPlainObject(value)) return undefined;
  const { thread, at, turn, cut, told, left, fenced, project, projectTold, tools } = value;
  if (typeof thread !== "string" || typeof at !== "number" || typeof tools !== "string") return undefined;
  return {
    thread,
    at,
    tools,
    ...(typeof turn === "string" ? { turn } : {}),
    ...(cut === true ? { cut } : {}),
    ...(typeof told === "number" ? { told } : {}),
    ...(typeof left === "number" ? { left } : {}),
    ...(fenced === true ? { fenced } : {}),
    ...(typeof project === "string" ? { project } : {}),
    ...(projectTold === true ? { projectTold } : {}),
  };
}

/** Codex's name of the turn before this one, if the thread ran it and so knows all that was said until now. */
export function currentTurn(
  { previous }: Turn,
  { thread, told, left, cut }: ThreadBinding,
): string | undefined {
  const side = readSide(previous?.side);
  if (side?.thread !== thread || told !== undefined || left !== undefined || cut === true) return undefined;
  return side.turn;
}

/** The binding with the place of the thread's last turn in the history. */
export function located(binding: ThreadBinding, { turns = [] }: Past): ThreadBinding {
  const last = turns.findLast(({ side }) => readSide(side)?.thread === binding.thread);
  const turn = readSide(last?.side)?.turn;
  return last === undefined || turn === undefined ? binding : { ...binding, at: last.from, turn };
}

/**
 * What the thread has not seen: turns that ran on another runtime after its own last one, and the end of that one if it
 * was finished there. History only ever grows, and each turn begins with exactly one user message. `undefined`: the history is not the one that was bound.
 */
export function unseenMessages(
  history: readonly Message[],
  { at, told, left }: ThreadBinding,
): readonly Message[] | undefined {
  const known = told ?? at;
  if (known > history.length || (known < history.length && history[known]?.role !== "user")) return undefined;
  if (told !== undefined) return history.slice(told);
  if (left !== undefined) return left > history.length ? undefined : history.slice(left);
  const next = history.findIndex((message, index) => index > at && message.role === "user");
  return next < 0 ? [] : history.slice(next);
}

/**
 * How a turn ended in which codex did. It may have told us of its last items before it wrote them down: the model would
 * then not know what it said, and hear that calls were aborted which have come back.
 */
export function cutTurnItems(history: readonly Message[], { at, cut, told }: ThreadBinding): readonly Json[] {
  if (cut !== true || told !== undefined) return [];
  const next = history.findIndex((message, index) => index > at && message.role === "user");
  const own = history.slice(at + 1, next < 0 ? history.length : next);
  const lastCall = own.findLastIndex((message) => message.role === "assistant" && message.toolCalls);
  const last = lastCall < 0 ? own.slice(-1) : own.slice(lastCall);
  if (last.length === 0) return [];
  return [developerItem([cutOff, ...last.map(inWords)].join("\n\n"))];
}

const cutOff =
  "Codex ended in the middle of the last turn. These were its last words and results, whatever is said of them above.";
const longest = 4_000;

function inWords(message: Message): string {
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const lines = [messageText(message), ...calls.map(({ name, arguments: args }) => `${name} ${args}`)];
  return lines.filter(Boolean).join("\n").slice(0, longest);
}

/** What we say ourselves, as an item for `thread/inject_items`. */
export const developerItem = (text: string): Json => ({
  type: "message",
  role: "developer",
  content: [{ type: "input_text", text }],
});

/** Messages as the items that `thread/inject_items` takes. */
export const seedItems = (messages: readonly Message[]): readonly Json[] => messages.flatMap(inputItems);

/** Keeps in mind how much of this turn its thread knows, so that the next turn can tell it the rest. */
export async function leaveTurn(turn: BegunTurn, { binding }: Ports): Promise<void> {
  const { doneElsewhere = [], side } = turn;
  const bound = readBinding(await binding.load());
  // If the turn never began in the thread, the thread is told all of it.
  if (bound === undefined || bound.thread !== readSide(side)?.thread || bound.told !== undefined) return;
  const { history } = await turn.past();
  await binding.save({ ...bound, at: history.length, left: history.length + 1 + doneElsewhere.length });
}

/** A thread that knew the history before knows what happened in it, too. Any other thread is told with its next turn. */
export async function markKnown(binding: Binding, side: Json, before: Past, after: Past): Promise<void> {
  const stored = readBinding(await binding.load());
  const bound = stored && located(stored, before);
  if (bound === undefined || bound.thread !== readSide(side)?.thread) return;
  if (unseenMessages(before.history, bound)?.length !== 0) return;
  await binding.save({ ...bound, told: after.history.length });
}
