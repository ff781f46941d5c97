import type { TurnEvent } from "../core/events.ts";
import { type CallItem, type Item, type NoteItem, resultText } from "../core/items.ts";
import { stableJson } from "../core/json.ts";
import type { Message } from "../core/messages.ts";

/** What has to be remembered between the events of one turn. */
export type Projection = {
  /** Reasoning that waits for the next assistant row of this turn. */
  readonly thinking: readonly string[];
  /** Items that were projected. */
  readonly seen: GrowingSet;
};

/** Each turn has its own: item ids are unique only within a turn, and reasoning does not cross into the next one. */
export const startProjection = (): Projection => ({ thinking: [], seen: emptySet });

/**
 * The rows that an event adds to the transcript. Pure and total: same events, same bytes, and what it does not know
 * adds nothing. An item makes rows once, however often it is told: a text makes an assistant row, a call makes an
 * assistant row directly followed by its tool row, a note that is history makes an assistant row in brackets. Thinking waits for the next of these assistant rows, several of them
 * apart by a blank line; if none comes, it is dropped. Blank text makes no row, because providers refuse an assistant
 * message that says nothing; thinking goes on waiting then.
 */
export function project(state: Projection, event: TurnEvent): [Projection, readonly Message[]] {
  if (event.type !== "item" || has(state.seen, event.item.id)) return [state, none];
  const { item } = event;
  const seen = add(state.seen, item.id);
  if (item.kind === "thinking" && !isBlank(item.text)) {
    return [{ thinking: [...state.thinking, item.text], seen }, none];
  }
  // A note is not the model's: its thinking belongs to what it says next.
  if (item.kind === "note") return [{ ...state, seen }, noteRows(item)];
  const rows = rowsOf(item, state.thinking);
  return [{ thinking: rows.length > 0 ? [] : state.thinking, seen }, rows];
}

const none: readonly Message[] = [];

function rowsOf(item: Item, thinking: readonly string[]): readonly Message[] {
  const reasoning = thinking.length > 0 ? { reasoning: thinking.join("\n\n") } : {};
  if (item.kind === "text") {
    return isBlank(item.text) ? none : [{ role: "assistant", content: item.text, ...reasoning }];
  }
  if (item.kind !== "call") return none;
  const call = { id: item.callId, name: item.tool, arguments: argumentsOf(item) };
  return [
    { role: "assistant", content: "", toolCalls: [call], ...reasoning },
    { role: "tool", toolCallId: item.callId, content: resultText(item) },
  ];
}

const noteRows = ({ text, history }: NoteItem): readonly Message[] =>
  history !== true || isBlank(text) ? none : [{ role: "assistant", content: `[${text.trim()}]` }];

/** A value that JSON cannot say (nested too deep for the stack) must not end the turn that carries it. */
function argumentsOf(item: CallItem): string {
  try {
    return stableJson(item.args);
  } catch {
    return "{}";
  }
}

const isBlank = (text: string): boolean => text.trim() === "";

/**
 * A set that is never changed in place, yet cheap to add to: the values lie in sets of doubling size, so an addition
 * copies each value a logarithmic number of times instead of every time.
 */
export type GrowingSet = readonly ReadonlySet<string>[];

export const emptySet: GrowingSet = [];

export const has = (sets: GrowingSet, value: string): boolean => sets.some((set) => set.has(value));

/** The caller has checked that the value is not in it. */
export function add(sets: GrowingSet, value: string): GrowingSet {
  let merged = new Set([value]);
  let kept = sets.length;
  for (let last = sets[kept - 1]; last?.size === merged.size; last = sets[kept - 1]) {
    merged = new Set([...last, ...merged]);
    kept -= 1;
  }
  return [...sets.slice(0, kept), merged];
}
