import type { TurnEvent } from "../../../core/events.ts";
import { type ItemId, asId } from "../../../core/ids.ts";
import type { Item } from "../../../core/items.ts";
import type { MappingContext } from "./call-mapping.ts";
import { type LayeredMap, lookUp, withEntry } from "./layered-map.ts";
import type { SeenText } from "./seen-text.ts";
import type { Meter } from "./usage.ts";
import type { TurnError } from "../wire/error-info.ts";
import type { WireBody } from "../wire/item.ts";
import type { Limits } from "../wire/rate-limits.ts";

/** Everything that is known of one running turn. Plain data, never changed in place. */
export type TurnState = {
  readonly threadId: string;
  readonly turnId: string;
  readonly mapping: MappingContext;
  /** Makes codex's words fit to be shown. */
  readonly redact: (text: string) => string;
  /** Items that have started and not ended, by codex's id, oldest first. */
  readonly open: ReadonlyMap<string, OpenEntry>;
  readonly done: LayeredMap<Done>;
  /** Items without an id so far; their place in the turn names them. */
  readonly nameless: number;
  /** Items opened so far, and how many of them when the model last finished a message. */
  readonly opened: number;
  readonly spokenAt: number;
  /** Calls that codex has finished. */
  readonly calls: number;
  readonly answer?: string;
  readonly commentary?: string;
  readonly meter: Meter;
  readonly limits?: Limits;
  /** The latest diff of all files the turn has changed, bounded. */
  readonly diff?: string;
  readonly plan?: string;
  readonly waiting: boolean;
  /** Codex's words while it tries again. */
  readonly retrying?: string;
  /** The latest error that was tried again, until the model answers. */
  readonly retried?: TurnError;
  readonly failure?: TurnError;
  readonly outcome?: TurnOutcome;
  readonly shown?: Status;
  /** Lines that were said; none is said twice. */
  readonly noticesSaid: readonly string[];
  /** What this version of us did not expect, by short name, with how often. Bounded. */
  readonly drift: ReadonlyMap<string, number>;
};

export type OpenEntry = {
  readonly id: ItemId;
  /** Counts up over the turn. */
  readonly order: number;
  readonly body: WireBody;
  readonly seen: SeenText;
  readonly startedAtMs: number | undefined;
  /** Our clock. */
  readonly sinceMs: number;
  /** Our clock when the command was allowed to run; unset while it waits for approval. */
  readonly runsSinceMs?: number;
};

export type Done = { readonly startedAtMs: number | undefined; readonly uses: number };

/** How the turn's own `turn/completed` says it ended. `status` is kept as it came. */
export type TurnOutcome = {
  readonly status: string;
  readonly error?: TurnError;
  /** Codex was in the middle of an answer, or had lost the connection before. */
  readonly brokeOff: boolean;
};

export type Status = Extract<TurnEvent, { type: "status" }>;
export type Step = readonly [TurnState, readonly TurnEvent[]];

export const noEvents: readonly TurnEvent[] = [];

/** The id that the next item with this codex id gets: a provider may use one twice. */
export function freshId(state: TurnState, key: string): ItemId {
  const uses = lookUp(state.done, key)?.uses ?? 0;
  return asId<"itm">(uses === 0 ? key : `${key}~${uses + 1}`);
}

/** The item is over: it leaves the open ones, and its id is remembered. */
export function closeEntry(state: TurnState, key: string, startedAtMs: number | undefined): TurnState {
  const open = new Map(state.open);
  open.delete(key);
  const uses = (lookUp(state.done, key)?.uses ?? 0) + 1;
  return { ...state, open, done: withEntry(state.done, key, { startedAtMs, uses }) };
}

/** Remembers what the end of the turn will report. */
export function rememberAnswer(state: TurnState, item: Item): TurnState {
  if (item.kind !== "text") return state;
  return item.phase === "commentary" ? { ...state, commentary: item.text } : { ...state, answer: item.text };
}

export function withDrift(state: TurnState, names: readonly string[]): TurnState {
  if (names.length === 0) return state;
  const drift = new Map(state.drift);
  for (const name of names) {
    const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
    const kept = drift.has(short) || drift.size < mostNames ? short : "more";
    drift.set(kept, (drift.get(kept) ?? 0) + 1);
  }
  return { ...state, drift };
}

const mostNames = 40;

/** Says a line once. */
export function sayOnce(state: TurnState, code: string, text: string): Step {
  if (text === "" || state.noticesSaid.includes(text) || state.noticesSaid.length >= mostLines)
    return [state, noEvents];
  return [{ ...state, noticesSaid: [...state.noticesSaid, text] }, [{ type: "notice", code, text }]];
}

const mostLines = 40;
