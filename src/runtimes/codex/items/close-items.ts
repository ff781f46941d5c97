import type { TurnEvent } from "../../../core/events.ts";
import type { Item } from "../../../core/items.ts";
import { callHead, callItem } from "./call-mapping.ts";
import { isCall, itemOf } from "./item-mapping.ts";
import { brokenWait, doneNote, note } from "./note-mapping.ts";
import { appendSeen, nothingSeen, seenText } from "./seen-text.ts";
import { type OpenEntry, type Step, type TurnState, rememberAnswer, closeEntry } from "./turn-state.ts";
import type { WireCall } from "../wire/call-item.ts";
import { type WireBody, readItem } from "../wire/item.ts";

/** Open items whose end may be on its way. A running command's may be hours away, a given-up answer's never comes. */
export const awaitedItems = (state: TurnState): readonly OpenEntry[] =>
  [...state.open.values()].filter(
    (entry) => !isOvertaken(state, entry) && !(isCall(entry.body) && isRunning(entry.body)),
  );

/** How long after the end of a turn its open items are waited for: a command may outlive its turn. */
export const lateItemGraceMs = 2000;

/**
 * Closes what codex has left open, because it does not always do so itself: stopped commands, cancelled patches and
 * half-written answers never get their `item/completed`. What was seen of them is kept; a call gets a line that ends with
 * `why`, a clause like "the turn was stopped", and with what became of its process, as far as anybody has looked.
 */
export function closeOpenItems(
  state: TurnState,
  why: string,
  nowMs: number,
  goesOn: GoesOn = () => undefined,
): Step {
  let next = state;
  const events: TurnEvent[] = [];
  for (const [key, entry] of state.open) {
    const item = isOvertaken(state, entry)
      ? brokenOff(state, entry)
      : closedItem(next, entry, why + fateOf(entry.body, goesOn(key)), nowMs);
    next = closeEntry(next, key, entry.startedAtMs);
    if (item === undefined) continue;
    next = rememberAnswer(next, item);
    events.push({ type: "item", item });
  }
  return [next, events];
}

/**
 * What codex says of a stopped command when that has ended has its whole output; of what it wrote in its first moments there were no
 * pieces. `undefined`: the item is no command that is open.
 */
export function withWholeOutput(state: TurnState, value: unknown): TurnState | undefined {
  const { id, body } = readItem(value);
  const entry = id === undefined ? undefined : state.open.get(id);
  if (id === undefined || entry === undefined || body.type !== "commandExecution") return undefined;
  const whole = appendSeen(nothingSeen, body.output ?? "");
  if (whole.length <= entry.seen.length) return state;
  return { ...state, open: new Map(state.open).set(id, { ...entry, seen: whole }) };
}

/** Does the process of this item go on? `undefined`: nobody can say. */
export type GoesOn = (key: string) => boolean | undefined;

function fateOf(body: WireBody, goesOn: boolean | undefined): string {
  if (!isCall(body) || !isRunning(body)) return "";
  if (goesOn === undefined) return "; it may still be running";
  return goesOn ? "; it is still running" : "; it was ended";
}

/** The model speaks one message at a time: an open one that a later one has followed was given up. */
function isOvertaken(state: TurnState, { body, order: mapping }: OpenEntry): boolean {
  if (body.type !== "agentMessage") return false;
  const later = [...state.open.values()].some(
    (other) => other.body.type === body.type && other.order > mapping,
  );
  return later || mapping <= state.spokenAt;
}

/** The model is asked again: what it had begun to say is no longer part of the conversation, but has been shown. */
export function dropAnswer(state: TurnState): Step {
  let next = state;
  const events: TurnEvent[] = [];
  for (const [key, entry] of state.open) {
    if (!isAnswer(entry)) continue;
    next = closeEntry(next, key, entry.startedAtMs);
    const item = brokenOff(state, entry);
    if (item !== undefined) events.push({ type: "item", item });
  }
  return [next, events];
}

/** Text or thoughts on their way. */
export const isAnswer = ({ body }: OpenEntry): boolean =>
  body.type === "agentMessage" || body.type === "reasoning";

export function brokenOff({ mapping }: TurnState, entry: OpenEntry): Item | undefined {
  const text = seenText(entry.seen, mapping.mask);
  if (text.trim() === "") return undefined;
  return note(entry.id, `This broke off, and the model was asked again: ${text}`);
}

function closedItem(state: TurnState, entry: OpenEntry, why: string, nowMs: number): Item | undefined {
  const { id, body } = entry;
  const seen = seenText(entry.seen, state.mapping.mask);
  if (isCall(body)) {
    const { diff } = callItem(body, id, state.mapping, seen);
    return {
      ...callHead(body, id, state.mapping),
      kind: "call",
      output: [seen.trimEnd(), `[not finished: ${why}]`].filter(Boolean).join("\n"),
      ok: false,
      durationMs: Math.max(0, Math.round(nowMs - entry.sinceMs)),
      ...(diff === undefined ? {} : { diff }),
    };
  }
  if (body.type === "contextCompaction") return note(id, "Codex did not finish shortening the conversation.");
  if (body.type === "sleep") return brokenWait(id, nowMs - entry.sinceMs, body.durationMs, why);
  if (body.type === "plan") return seen === "" ? undefined : doneNote(id, `Plan, not finished:\n${seen}`);
  return itemOf(body, id, state.mapping, seen);
}

/** A process that codex has started outlives the turn, and codex lets it. */
const isRunning = (body: WireCall): boolean => body.type === "commandExecution" && body.process !== undefined;
