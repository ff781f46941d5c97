import type { Envelope } from "../../../core/events.ts";
import type { TurnId } from "../../../core/ids.ts";
import type { CallItem, Item, OpenItem } from "../../../core/items.ts";
import {
  type CallBlock,
  type ProseBlock,
  finishedProse,
  openProse,
  wholeOutput,
  withMore,
} from "./blocks.ts";
import { callTitle } from "./call-title.ts";
import { type Memory, openCall } from "./memory.ts";

const keyOf = (turn: TurnId, item: string): string => `${turn} ${item}`;

const isOver = (memory: Memory, turn: TurnId, key: string): boolean =>
  memory.ended.has(turn) || memory.finished.has(key);

export function beginItem(memory: Memory, turn: TurnId, item: OpenItem, now: number): void {
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

export function addDelta(
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

export function finishItem(memory: Memory, turn: TurnId, item: Item, now: number): void {
  const key = keyOf(turn, item.id);
  if (memory.finished.has(key)) return;
  memory.finished.add(key);
  if (item.kind !== "text" && item.kind !== "thinking") closeProse(memory, key, now);
  if (item.kind === "note") return void memory.settled.push({ kind: "note", text: item.text });
  if (item.kind === "call") return finishCall(memory, key, item, now);
  if (item.kind !== "text" && item.kind !== "thinking") return;
  if (item.kind === "text" && item.text !== "") memory.said.add(turn);
  const kind = item.kind === "thinking" ? "thinking" : item.phase === "commentary" ? "commentary" : "answer";
  const { at, block } = writingAt(memory, key);
  memory.writing.delete(key);
  memory.running.delete(key);
  if (block === undefined)
    return void memory.settled.push({ ...finishedProse(openProse(kind, now), item.text) });
  memory.settled[at] = { ...finishedProse(block, item.text), kind, ms: now - block.since };
}

/** How long it took is for the runtime to say: what is seen from here has the wait for an answer in it. */
function finishCall(memory: Memory, key: string, item: CallItem, now: number): void {
  const before = memory.running.get(key);
  memory.running.delete(key);
  memory.settled.push({
    ...finishedCall(item, before?.since ?? now),
    ...(item.output === "" && before !== undefined ? { output: before.output } : {}),
  });
}

/** A call that is over, as it is kept. */
export function finishedCall(item: CallItem, since = 0): CallBlock {
  const { tool, args, ok, exitCode, diff, durationMs: ms } = item;
  return {
    ...openCall(since),
    ...callTitle(tool, args),
    state: ok ? "ok" : "failed",
    output: wholeOutput(item.output),
    ...(ms === undefined ? {} : { ms }),
    ...(exitCode === undefined || exitCode === 0 ? {} : { ended: `exit ${exitCode}` }),
    ...(diff === undefined || diff === "" ? {} : { diff }),
  };
}

/** What a turn leaves open will not be finished any more. */
export function closeOpen(memory: Memory, turn: TurnId, now: number): void {
  const mine = (key: string): boolean => key.startsWith(`${turn} `);
  for (const key of [...memory.writing.keys()].filter(mine)) closeProse(memory, key, now);
  for (const [key, block] of [...memory.running].filter(([each]) => mine(each))) {
    memory.settled.push({ ...block, state: "failed", ended: "not finished", ms: now - block.since });
    memory.running.delete(key);
  }
}

function closeProse(memory: Memory, key: string, now: number): void {
  const { at, block } = writingAt(memory, key);
  if (block !== undefined) memory.settled[at] = { ...block, isOpen: false, ms: now - block.since };
  memory.writing.delete(key);
}
