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
import { type TranscriptState, openCall } from "./transcript-state.ts";

const keyOf = (turn: TurnId, item: string): string => `${turn} ${item}`;

const isOver = (state: TranscriptState, turn: TurnId, key: string): boolean =>
  state.ended.has(turn) || state.finished.has(key);

export function beginItem(state: TranscriptState, turn: TurnId, item: OpenItem, now: number): void {
  const key = keyOf(turn, item.id);
  if (isOver(state, turn, key) || state.writing.has(key)) return;
  if (item.kind === "text" || item.kind === "thinking") return beginProse(state, key, item.kind, now);
  if (item.kind !== "call") return;
  const block = state.running.get(key) ?? openCall(now);
  state.running.set(key, { ...block, ...callTitle(item.tool ?? "", item.args) });
}

function beginProse(state: TranscriptState, key: string, kind: "text" | "thinking", now: number): void {
  if (state.running.has(key)) return;
  state.writing.set(key, state.settled.length);
  state.settled.push(openProse(kind === "text" ? "answer" : "thinking", now));
}

export function addDelta(
  state: TranscriptState,
  turn: TurnId,
  { item, of, text }: Extract<Envelope, { type: "delta" }>,
  now: number,
): void {
  const key = keyOf(turn, item);
  if (isOver(state, turn, key)) return;
  if (of === "output") {
    if (state.writing.has(key)) return;
    const block = state.running.get(key) ?? openCall(now);
    block.output.push(text);
    return void state.running.set(key, block);
  }
  if (!state.writing.has(key)) beginProse(state, key, of, now);
  const { at, block } = writingAt(state, key);
  if (block === undefined || (block.kind === "thinking") !== (of === "thinking")) return;
  state.settled[at] = withMore(block, text);
  if (of === "text" && text !== "") state.withText.add(turn);
}

function writingAt(
  state: TranscriptState,
  key: string,
): { readonly at: number; readonly block?: ProseBlock } {
  const at = state.writing.get(key) ?? -1;
  const block = state.settled[at];
  const isProse = block?.kind === "answer" || block?.kind === "commentary" || block?.kind === "thinking";
  return isProse ? { at, block } : { at };
}

export function finishItem(state: TranscriptState, turn: TurnId, item: Item, now: number): void {
  const key = keyOf(turn, item.id);
  if (state.finished.has(key)) return;
  state.finished.add(key);
  if (item.kind !== "text" && item.kind !== "thinking") closeProse(state, key, now);
  if (item.kind === "note") return void state.settled.push({ kind: "note", text: item.text });
  if (item.kind === "call") return finishCall(state, key, item, now);
  if (item.kind !== "text" && item.kind !== "thinking") return;
  if (item.kind === "text" && item.text !== "") state.withText.add(turn);
  const kind = item.kind === "thinking" ? "thinking" : item.phase === "commentary" ? "commentary" : "answer";
  const { at, block } = writingAt(state, key);
  state.writing.delete(key);
  state.running.delete(key);
  if (block === undefined)
    return void state.settled.push({ ...finishedProse(openProse(kind, now), item.text) });
  state.settled[at] = { ...finishedProse(block, item.text), kind, ms: now - block.since };
}

/** How long it took is for the runtime to say: what is seen from here has the wait for an answer in it. */
function finishCall(state: TranscriptState, key: string, item: CallItem, now: number): void {
  const before = state.running.get(key);
  state.running.delete(key);
  state.settled.push({
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
export function closeOpen(state: TranscriptState, turn: TurnId, now: number): void {
  const mine = (key: string): boolean => key.startsWith(`${turn} `);
  for (const key of [...state.writing.keys()].filter(mine)) closeProse(state, key, now);
  for (const [key, block] of [...state.running].filter(([each]) => mine(each))) {
    state.settled.push({ ...block, state: "failed", ended: "not finished", ms: now - block.since });
    state.running.delete(key);
  }
}

function closeProse(state: TranscriptState, key: string, now: number): void {
  const { at, block } = writingAt(state, key);
  if (block !== undefined) state.settled[at] = { ...block, isOpen: false, ms: now - block.since };
  state.writing.delete(key);
}
