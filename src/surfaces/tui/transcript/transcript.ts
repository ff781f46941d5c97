import type { EndedEvent, Envelope } from "../../../core/events.ts";
import type { TurnId } from "../../../core/ids.ts";
import {
  type Block,
  type CallBlock,
  type UserBlock,
  type UserState,
  finishedProse,
  openProse,
} from "./blocks.ts";
import { addDelta, beginItem, closeOpen, finishItem } from "./items.ts";
import { type TranscriptState, emptyState } from "./transcript-state.ts";
import { type ShellEntry, addUser, runShell, settleUser } from "./user-entries.ts";
import { endBlocks } from "../turn-end.ts";

/**
 * The blocks of a conversation, in the order in which they are shown. Calls that run and input that waits stand below
 * everything else until they are settled, because a terminal can only repaint its last rows without a flicker.
 *
 * Takes events in any order: nothing here throws, and nothing is shown twice.
 */
export interface Transcript {
  event(event: Envelope): void;
  add(block: Block): void;
  user(id: string, block: UserBlock): void;
  settle(id: string, state: UserState | "sent"): void;
  /** The person's own command. */
  shell(id: string, command: string): ShellEntry;
  clear(): void;
  settled(): readonly Block[];
  running(): readonly CallBlock[];
  waiting(): readonly UserBlock[];
}

export function transcript(now: () => number): Transcript {
  let state = emptyState();
  return {
    event: (event) => applyEvent(state, event, now()),
    add: (block) => void state.settled.push(block),
    user: (id, block) => addUser(state, id, block),
    settle: (id, to) => settleUser(state, id, to),
    shell: (id, command) => runShell(state, id, command, now),
    clear: () => void (state = emptyState()),
    settled: () => state.settled,
    running: () => [...state.running.values()],
    waiting: () => [...state.waiting.values()],
  };
}

function applyEvent(state: TranscriptState, event: Envelope, now: number): void {
  const { turn } = event;
  switch (event.type) {
    case "started":
      if (!state.begun.has(turn)) state.begun.set(turn, now);
      return;
    case "begin":
      return beginItem(state, turn, event.item, now);
    case "delta":
      return addDelta(state, turn, event, now);
    case "item":
      return finishItem(state, turn, event.item, now);
    case "notice":
      return void state.settled.push({ kind: "note", text: event.text });
    case "ended":
      return endTurn(state, turn, event, now);
    // Shown elsewhere: what was said, what goes on, what it costs, what is asked.
    case "said":
    case "status":
    case "usage":
    case "approval":
    case "inquiry":
      return;
  }
}

function endTurn(state: TranscriptState, turn: TurnId, event: EndedEvent, now: number): void {
  if (state.ended.has(turn)) return;
  state.ended.add(turn);
  closeOpen(state, turn, now);
  if (!state.withText.has(turn) && event.text !== "")
    state.settled.push(finishedProse(openProse("answer", now), event.text));
  const since = state.begun.get(turn);
  state.settled.push(...endBlocks(event, since === undefined ? undefined : now - since));
}
