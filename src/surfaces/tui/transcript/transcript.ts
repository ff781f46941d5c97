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
import { type Memory, nothing } from "./memory.ts";
import { type ShellEntry, addUser, runShell, settleUser } from "./people.ts";
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
  let memory = nothing();
  return {
    event: (event) => hear(memory, event, now()),
    add: (block) => void memory.settled.push(block),
    user: (id, block) => addUser(memory, id, block),
    settle: (id, state) => settleUser(memory, id, state),
    shell: (id, command) => runShell(memory, id, command, now),
    clear: () => void (memory = nothing()),
    settled: () => memory.settled,
    running: () => [...memory.running.values()],
    waiting: () => [...memory.waiting.values()],
  };
}

function hear(memory: Memory, event: Envelope, now: number): void {
  const { turn } = event;
  switch (event.type) {
    case "started":
      if (!memory.begun.has(turn)) memory.begun.set(turn, now);
      return;
    case "begin":
      return beginItem(memory, turn, event.item, now);
    case "delta":
      return addDelta(memory, turn, event, now);
    case "item":
      return finishItem(memory, turn, event.item, now);
    case "notice":
      return void memory.settled.push({ kind: "note", text: event.text });
    case "ended":
      return endTurn(memory, turn, event, now);
    // Shown elsewhere: what goes on, what it costs, what is asked.
    case "status":
    case "usage":
    case "approval":
    case "inquiry":
      return;
  }
}

function endTurn(memory: Memory, turn: TurnId, event: EndedEvent, now: number): void {
  if (memory.ended.has(turn)) return;
  memory.ended.add(turn);
  closeOpen(memory, turn, now);
  if (!memory.said.has(turn) && event.text !== "")
    memory.settled.push(finishedProse(openProse("answer", now), event.text));
  const since = memory.begun.get(turn);
  memory.settled.push(...endBlocks(event, since === undefined ? undefined : now - since));
}
