import type { EndedEvent, Envelope } from "../../core/events.ts";
import type { TurnId } from "../../core/ids.ts";
import type { CallItem, Item, OpenItem } from "../../core/items.ts";
import {
  type Block,
  type CallBlock,
  type ProseBlock,
  type UserBlock,
  type UserState,
  finishedProse,
  liveLines,
  openProse,
  wholeLines,
  wholeOutput,
  withMore,
} from "./blocks.ts";
import { callTitle } from "./call-title.ts";
import { outputTail } from "./output-tail.ts";
import { endBlocks } from "./turn-end.ts";

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
  shell(id: string, command: string): { output(text: string): void; end(result: ShellEnd): void };
  clear(): void;
  settled(): readonly Block[];
  running(): readonly CallBlock[];
  waiting(): readonly UserBlock[];
}

export type ShellEnd = { readonly exitCode?: number; readonly signal?: string };

type Memory = {
  readonly settled: Block[];
  /** Where text that is still written stands. */
  readonly writing: Map<string, number>;
  readonly running: Map<string, CallBlock>;
  readonly waiting: Map<string, UserBlock>;
  /** Where the person's messages stand. */
  readonly users: Map<string, number>;
  /** Items that are finished. */
  readonly finished: Set<string>;
  readonly begun: Map<TurnId, number>;
  readonly ended: Set<TurnId>;
  /** Turns of which some text was shown. */
  readonly said: Set<TurnId>;
};

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

const nothing = (): Memory => ({
  settled: [],
  writing: new Map(),
  running: new Map(),
  waiting: new Map(),
  users: new Map(),
  finished: new Set(),
  begun: new Map(),
  ended: new Set(),
  said: new Set(),
});

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

const keyOf = (turn: TurnId, item: string): string => `${turn} ${item}`;

const isOver = (memory: Memory, turn: TurnId, key: string): boolean =>
  memory.ended.has(turn) || memory.finished.has(key);

function beginItem(memory: Memory, turn: TurnId, item: OpenItem, now: number): void {
  const key = keyOf(turn, item.id);
  if (isOver(memory, turn, key) || memory.writing.has(key)) return;
  if (item.kind === "text" || item.kind === "thinking") return beginProse(memory, key, item.kind, now);
  if (item.kind !== "call") return;
  const block = memory.running.get(key) ?? openCall(now);
  memory.running.set(key, { ...block, ...callTitle(item.tool ?? "", item.args) });
}

function beginProse(memory: Memory, key: string, kind: "text" | "thinking", now: number): void {
  if (memory.running.has(key)) return;
  memory.writing.set(key, memory.settled.length);
  memory.settled.push(openProse(kind === "text" ? "answer" : "thinking", now));
}

const openCall = (since: number): CallBlock => ({
  kind: "call",
  name: "tool",
  detail: "",
  state: "running",
  own: false,
  since,
  output: outputTail(liveLines),
});

function addDelta(
  memory: Memory,
  turn: TurnId,
  { item, of, text }: Extract<Envelope, { type: "delta" }>,
  now: number,
): void {
  const key = keyOf(turn, item);
  if (isOver(memory, turn, key)) return;
  if (of === "output") {
    if (memory.writing.has(key)) return;
    const block = memory.running.get(key) ?? openCall(now);
    block.output.push(text);
    return void memory.running.set(key, block);
  }
  if (!memory.writing.has(key)) beginProse(memory, key, of, now);
  const { at, block } = writingAt(memory, key);
  if (block === undefined || (block.kind === "thinking") !== (of === "thinking")) return;
  memory.settled[at] = withMore(block, text);
  if (of === "text" && text !== "") memory.said.add(turn);
}

function writingAt(memory: Memory, key: string): { readonly at: number; readonly block?: ProseBlock } {
  const at = memory.writing.get(key) ?? -1;
  const block = memory.settled[at];
  const isProse = block?.kind === "answer" || block?.kind === "commentary" || block?.kind === "thinking";
  return isProse ? { at, block } : { at };
}

function finishItem(memory: Memory, turn: TurnId, item: Item, now: number): void {
  const key = keyOf(turn, item.id);
  if (memory.finished.has(key)) return;
  memory.finished.add(key);
  if (item.kind === "note") return void memory.settled.push({ kind: "note", text: item.text });
  if (item.kind === "call") return finishCall(memory, key, item, now);
  if (item.kind !== "text" && item.kind !== "thinking") return;
  if (item.kind === "text" && item.text !== "") memory.said.add(turn);
  const kind = item.kind === "thinking" ? "thinking" : item.phase === "commentary" ? "commentary" : "answer";
  const { at, block } = writingAt(memory, key);
  memory.writing.delete(key);
  memory.running.delete(key);
  if (block === undefined) return void memory.settled.push({ ...finishedProse(openProse(kind, now), item.text) });
  memory.settled[at] = { ...finishedProse(block, item.text), kind, ms: now - block.since };
}

function finishCall(memory: Memory, key: string, item: CallItem, now: number): void {
  const { tool, args, ok, exitCode, diff } = item;
  const before = memory.running.get(key);
  memory.running.delete(key);
  const ms = item.durationMs ?? (before === undefined ? undefined : now - before.since);
  memory.settled.push({
    ...openCall(before?.since ?? now),
    ...callTitle(tool, args),
    state: ok ? "ok" : "failed",
    output: item.output === "" && before !== undefined ? before.output : wholeOutput(item.output),
    ...(ms === undefined ? {} : { ms }),
    ...(exitCode === undefined || exitCode === 0 ? {} : { ended: `exit ${exitCode}` }),
    ...(diff === undefined || diff === "" ? {} : { diff }),
  });
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

/** What a turn leaves open will not be finished any more. */
function closeOpen(memory: Memory, turn: TurnId, now: number): void {
  const mine = (key: string): boolean => key.startsWith(`${turn} `);
  for (const key of [...memory.writing.keys()].filter(mine)) {
    const { at, block } = writingAt(memory, key);
    if (block !== undefined) memory.settled[at] = { ...block, isOpen: false, ms: now - block.since };
    memory.writing.delete(key);
  }
  for (const [key, block] of [...memory.running].filter(([each]) => mine(each))) {
    memory.settled.push({ ...block, state: "failed", ended: "not finished", ms: now - block.since });
    memory.running.delete(key);
  }
}

function addUser(memory: Memory, id: string, block: UserBlock): void {
  if (memory.waiting.has(id) || memory.users.has(id)) return settleUser(memory, id, block.state ?? "sent");
  if (block.state === "queued") return void memory.waiting.set(id, block);
  memory.users.set(id, memory.settled.length);
  memory.settled.push(block);
}

function settleUser(memory: Memory, id: string, state: UserState | "sent"): void {
  if (state === "queued") return;
  const at = memory.users.get(id);
  const known = memory.waiting.get(id) ?? (at === undefined ? undefined : memory.settled[at]);
  if (known?.kind !== "user") return;
  const { state: _, ...rest } = known;
  const block: UserBlock = state === "sent" ? rest : { ...rest, state };
  if (at !== undefined) return void (memory.settled[at] = block);
  memory.waiting.delete(id);
  memory.users.set(id, memory.settled.length);
  memory.settled.push(block);
}

function runShell(
  memory: Memory,
  id: string,
  command: string,
  now: () => number,
): ReturnType<Transcript["shell"]> {
  const key = ` ${id}`;
  const since = now();
  const output = outputTail(wholeLines);
  const block: CallBlock = { ...openCall(since), name: "$", detail: command, own: true, output };
  memory.running.set(key, block);
  return {
    output: (text) => output.push(text),
    end({ exitCode, signal }) {
      if (!memory.running.delete(key)) return;
      const ended = signal ?? (exitCode === undefined ? "not finished" : `exit ${exitCode}`);
      const state = exitCode === 0 ? { state: "ok" as const } : { state: "failed" as const, ended };
      memory.settled.push({ ...block, ...state, ms: now() - since });
    },
  };
}
