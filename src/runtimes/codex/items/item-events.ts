import type { TurnEvent } from "../../../core/events.ts";
import { brokenOff } from "./close-items.ts";
import { beginOf, isCall, itemOf } from "./item-mapping.ts";
import { lookUp } from "./layered-map.ts";
import { nothingSeen, appendSeen, seenText } from "./seen-text.ts";
import {
  type OpenEntry,
  type Step,
  type TurnState,
  freshId,
  rememberAnswer,
  closeEntry,
  noEvents,
  withDrift,
} from "./turn-state.ts";
import { type WireBody, type WireItem, itemDrift, readItem } from "../wire/item.ts";

/** `item/started`. One that comes after the end of its item, or twice, changes nothing on the screen. */
export function startItem(state: TurnState, value: unknown, nowMs: number): Step {
  const item = readItem(value);
  if (item.id === undefined || item.body.type === "userMessage" || isRepeat(state, item))
    return [state, noEvents];
  const entry = state.open.get(item.id);
  if (entry === undefined) return open(state, item.id, item, nowMs);
  if (!isOther(entry.startedAtMs, item.startedAtMs)) {
    return [withOpen(state, item.id, { ...entry, body: item.body, startedAtMs: item.startedAtMs }), noEvents];
  }
  // The id is used again while its first item is open: that one will not be finished any more.
  const dropped = brokenOff(state, entry);
  const [next, events] = open(closeEntry(state, item.id, entry.startedAtMs), item.id, item, nowMs);
  return [next, dropped === undefined ? events : [{ type: "item", item: dropped }, ...events]];
}

/** `item/completed`: the item is told once, whether or not its start was seen. */
export function completeItem(state: TurnState, value: unknown, nowMs: number): Step {
  const item = readItem(value);
  if (item.body.type === "userMessage" || isRepeat(state, item)) return [state, noEvents];
  const { runsSinceMs } = state.open.get(item.id ?? "") ?? {};
  return finish(withDrift(state, late(state)), timed(item, runsSinceMs, nowMs));
}

/** An item of a whole turn (`turn.items`): told only if it is over and was not told before. */
export function takeItem(state: TurnState, value: unknown): Step {
  const item = readItem(value);
  const { id, body } = item;
  const over = !("status" in body) || body.status !== "inProgress";
  if (id === undefined || body.type === "userMessage" || lookUp(state.done, id) || !over)
    return [state, noEvents];
  return finish(state, item);
}

export type DeltaKind = Extract<TurnEvent, { type: "delta" }>["of"];

/** A piece of an item. If its start was not seen, `assumed` says what it must be. */
export function growItem(
  state: TurnState,
  key: string | undefined,
  text: string,
  of: DeltaKind,
  assumed: WireBody,
  nowMs: number,
): Step {
  if (key === undefined || text === "") return [state, noEvents];
  if (state.open.has(key)) return grow(state, key, text, of);
  if (lookUp(state.done, key)) return [state, noEvents];
  const [opened, begin] = open(state, key, { id: key, startedAtMs: undefined, body: assumed }, nowMs);
  const [next, events] = grow(opened, key, text, of);
  return [next, [...begin, ...events]];
}

/** Changes what is known of an open item. */
export function reviseItem(
  state: TurnState,
  key: string | undefined,
  revise: (body: WireBody) => WireBody,
): TurnState {
  const entry = key === undefined ? undefined : state.open.get(key);
  if (key === undefined || entry === undefined) return state;
  return withOpen(state, key, { ...entry, body: revise(entry.body) });
}

function open(state: TurnState, key: string, { body, startedAtMs }: WireItem, nowMs: number): Step {
  const id = freshId(state, key);
  const opened = state.opened + 1;
  const runs = body.type === "commandExecution" && body.process !== undefined ? { runsSinceMs: nowMs } : {};
  const entry: OpenEntry = {
    id,
    order: opened,
    body,
    seen: nothingSeen,
    startedAtMs,
    sinceMs: nowMs,
    ...runs,
  };
  const begin = beginOf(body, id, state.mapping);
  return [
    { ...withOpen(state, key, entry), opened },
    begin === undefined ? noEvents : [{ type: "begin", item: begin }],
  ];
}

function grow(state: TurnState, key: string, text: string, of: DeltaKind): Step {
  const entry = state.open.get(key);
  if (entry === undefined) return [state, noEvents];
  const next = withOpen(state, key, { ...entry, seen: appendSeen(entry.seen, text) });
  return [next, [{ type: "delta", item: entry.id, of, text }]];
}

function finish(state: TurnState, item: WireItem): Step {
  const nameless = state.nameless + (item.id === undefined ? 1 : 0);
  const key = item.id ?? `${item.body.type}#${nameless}`;
  const entry = state.open.get(key);
  const id = entry?.id ?? freshId(state, key);
  const seen = seenText(entry?.seen ?? nothingSeen, state.mapping.mask);
  const mapped = itemOf(item.body, id, state.mapping, seen);
  const settled = closeEntry(withDrift(state, itemDrift(item)), key, item.startedAtMs ?? entry?.startedAtMs);
  const next = {
    ...settled,
    nameless,
    calls: state.calls + (isCall(item.body) ? 1 : 0),
    spokenAt: item.body.type === "agentMessage" ? state.opened : state.spokenAt,
  };
  return mapped === undefined
    ? [next, noEvents]
    : [rememberAnswer(next, mapped), [{ type: "item", item: mapped }]];
}

/** Nobody is asked any more: commands that waited for a yes may run from now on. */
export function runWaiting(state: TurnState, nowMs: number): TurnState {
  let next = state;
  for (const [key, entry] of state.open)
    if (entry.body.type === "commandExecution" && entry.runsSinceMs === undefined)
      next = withOpen(next, key, { ...entry, runsSinceMs: nowMs });
  return next;
}

/** Where codex has not measured how long a command took, how long we saw it run. */
function timed(item: WireItem, runsSinceMs: number | undefined, nowMs: number): WireItem {
  const { body } = item;
  if (body.type !== "commandExecution" || body.durationMs !== undefined || runsSinceMs === undefined)
    return item;
  const durationMs = Math.round(nowMs - runsSinceMs);
  return durationMs < shortestMs ? item : { ...item, body: { ...body, durationMs } };
}

/** Codex tells of a command when it has run for about this long, so less between its two frames is not its length. */
const shortestMs = 100;

/** Said again, not a second item: codex's clock tells them apart, where it is given. */
function isRepeat({ done }: TurnState, { id, startedAtMs }: WireItem): boolean {
  const before = id === undefined ? undefined : lookUp(done, id);
  return before !== undefined && !isOther(before.startedAtMs, startedAtMs);
}

const isOther = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;

const late = (state: TurnState): readonly string[] => (state.outcome === undefined ? [] : ["late item"]);

const withOpen = (state: TurnState, key: string, entry: OpenEntry): TurnState => ({
  ...state,
  open: new Map(state.open).set(key, entry),
});
