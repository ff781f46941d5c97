import type { ItemEvent, TurnEvent } from "../../../core/events.ts";
import type { Item } from "../../../core/items.ts";
import { closeOpenItems } from "./close-items.ts";
import { nothingSeen, seenText } from "./seen-text.ts";
import { type Notification, type TurnOptions, beginTurn, observe } from "./turn-machine.ts";
import type { OpenEntry, TurnState } from "./turn-state.ts";
import { scopeOf } from "../wire/scope.ts";

/** A turn that is over for us, and of which something may go on. `late`: what was begun after its end. */
type Stray = { readonly state: TurnState; readonly late: ReadonlySet<string> };

/** Such turns of one thread, by codex's id, oldest first. */
export type Strays = ReadonlyMap<string, Stray>;

export const noStrays: Strays = new Map();

/** How many quiet turns are remembered. What comes of older ones may be told twice, but never not at all. */
const mostTurns = 16;

export type StrayStep = {
  readonly strays: Strays;
  /** Finished, with what they belong to. */
  readonly items: readonly ItemEvent[];
  /** Something was begun after the end of its turn: whatever did that is still there. */
  readonly began: boolean;
};

/** Keeps a turn in mind as it was when it ended. */
export const withEnded = (strays: Strays, state: TurnState): Strays =>
  withStray(strays, { state, late: new Set() });

function withStray(strays: Strays, stray: Stray): Strays {
  const { turnId } = stray.state;
  const others = [...strays].filter(([id]) => id !== turnId);
  const quiet = others.filter(([, other]) => !isOpen(other)).map(([id]) => id);
  const forgotten = new Set(quiet.slice(0, 1 - mostTurns));
  return new Map([...others.filter(([id]) => !forgotten.has(id)), [turnId, stray]]);
}

/** Something of it runs, or has begun late and has no row yet. */
const isOpen = ({ state, late }: Stray): boolean =>
  [...state.open].some(([id, entry]) => late.has(id) || isRunning(entry));

/** Takes in what codex says of an item that belongs to another turn than the present one. */
export function observeStray(
  strays: Strays,
  thread: Omit<TurnOptions, "turnId">,
  frame: Notification,
  nowMs: number,
): StrayStep {
  const { turnId, itemId = "" } = scopeOf(frame.params);
  if (turnId === undefined || !frame.method.startsWith("item/")) return { strays, items: [], began: false };
  const { state: before, late } = strays.get(turnId) ?? {
    state: beginTurn({ ...thread, turnId }),
    late: new Set<string>(),
  };
  const [state, events] = observe(before, frame, nowMs);
  const isNew = !before.open.has(itemId) && (events.length > 0 || state.open.has(itemId));
  const line = isNew || late.has(itemId) ? begunLate : begunBefore;
  return {
    strays: withStray(strays, { state, late: isNew ? new Set([...late, itemId]) : late }),
    items: itemsIn(events, line),
    began: isNew && events.some(({ type }) => type === "begin"),
  };
}

/** Closes what was begun after the end of its turn: it is a row nowhere, and nothing will be heard of it any more. */
export function closeLate(strays: Strays, nowMs: number): Pick<StrayStep, "strays" | "items"> {
  const closed = [...strays].map(([turnId, { state, late }]) => {
    const [open, others] = [true, false].map((is) => [...state.open].filter(([id]) => late.has(id) === is));
    const [after, events] = closeOpenItems({ ...state, open: new Map(open) }, neverHeard, nowMs);
    return { turnId, stray: { state: { ...after, open: new Map(others) }, late }, events };
  });
  return {
    strays: new Map(closed.map(({ turnId, stray }) => [turnId, stray])),
    items: closed.flatMap(({ events }) => itemsIn(events, begunLate)),
  };
}

const neverHeard = "interrupted, outcome unknown, because nobody heard how it ended";
const begunLate = "[begun after the end of its turn]";
const begunBefore = "[begun in an earlier turn]";

const itemsIn = (events: readonly TurnEvent[], line: string): readonly ItemEvent[] =>
  events.flatMap((event) => (event.type === "item" ? [{ ...event, item: marked(event.item, line) }] : []));

function marked(item: Item, line: string): Item {
  if (item.kind === "call") return { ...item, output: [line, item.output].filter(Boolean).join("\n") };
  return item.kind === "note" ? { ...item, text: `${line} ${item.text}` } : item;
}

/** The command that an item of an earlier turn is, while it runs. */
export function commandOf(strays: Strays, itemId: string): string | undefined {
  const body = strayOf(strays, itemId)?.state.open.get(itemId)?.body;
  return body?.type === "commandExecution" ? body.command : undefined;
}

/** What such a command has written since that was last taken. */
export function takeWritten(
  strays: Strays,
  itemId: string,
): { readonly strays: Strays; readonly text: string } {
  const stray = strayOf(strays, itemId);
  const entry = stray?.state.open.get(itemId);
  if (stray === undefined || entry === undefined) return { strays, text: "" };
  const open = new Map(stray.state.open).set(itemId, { ...entry, seen: nothingSeen });
  const state = { ...stray.state, open };
  return { strays: withStray(strays, { ...stray, state }), text: seenText(entry.seen, stray.state.redact) };
}

/** Commands that have not ended as far as we know, by their item. */
export const runningIn = (strays: Strays): ReadonlyMap<string, OpenEntry> =>
  new Map(
    [...strays.values()].flatMap(({ state }) => [...state.open].filter(([, entry]) => isRunning(entry))),
  );

/**
 * Without the commands that seemed to run and are not among these: codex does not tell of every end. What was begun late
 * stays, because it is a row nowhere.
 */
export const onlyRunning = (strays: Strays, items: ReadonlySet<string>): Strays =>
  new Map(
    [...strays].map(([turnId, { state, late }]) => {
      const open = [...state.open].filter(
        ([id, entry]) => !isRunning(entry) || items.has(id) || late.has(id),
      );
      return [turnId, { state: { ...state, open: new Map(open) }, late }];
    }),
  );

/** Codex has started a process for it, which outlives its turn. */
export const isRunning = ({ body }: OpenEntry): boolean =>
  body.type === "commandExecution" && body.process !== undefined;

const strayOf = (strays: Strays, itemId: string): Stray | undefined =>
  [...strays.values()].find(({ state }) => state.open.has(itemId));
