import type { ApprovalState, InquiryState } from "./asking.ts";
import type { Fault } from "./faults.ts";
import type { ItemId, SessionId, TurnId } from "./ids.ts";
import type { Item, OpenItem } from "./items.ts";
import type { InputPart } from "./messages.ts";
import type { Json } from "./json.ts";
import type { Principal } from "./principal.ts";

/** Whatever runs a turn, this is all it may say. `started` comes first, `ended` once and last. */
export type TurnEvent =
  | StartedEvent
  | { readonly type: "begin"; readonly item: OpenItem }
  | {
      readonly type: "delta";
      readonly item: ItemId;
      readonly of: "text" | "thinking" | "output";
      readonly text: string;
    }
  | ItemEvent
  | {
      readonly type: "status";
      readonly state: "thinking" | "tool" | "waiting" | "retrying" | "compacting";
      readonly text?: string;
    }
  | NoticeEvent
  | { readonly type: "approval"; readonly approval: ApprovalState }
  | { readonly type: "inquiry"; readonly inquiry: InquiryState }
  | UsageEvent
  | EndedEvent;

export type StartedEvent = {
  readonly type: "started";
  readonly runtime: string;
  readonly model: string;
  readonly cwd: string;
  /** The runtime's own words for it, so that a crash right afterwards can be repaired. Kept with the turn; nobody else reads it. */
  readonly side?: Json;
  /** The runtime began it by itself; nobody's input waits for it. */
  readonly unasked?: true;
};

/** A finished item. When a surface sees it, it is already committed. */
export type ItemEvent = { readonly type: "item"; readonly item: Item };

/** One visible line about something that did not go the ordinary way. */
export type NoticeEvent = {
  readonly type: "notice";
  readonly code: string;
  readonly text: string;
  /** It counts as told once it was shown, which a follower says by asking for what comes next. The event log has none of these. */
  readonly receipt?: true;
};

/** What a turn has used so far: the newest one says it all, they are not to be added up. */
export type Usage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cost?: number;
  readonly context: { readonly used: number; readonly window?: number };
  readonly limits?: string;
  /** The same by model, where the runtime knows who answered. What is missing there is the turn's own model's. */
  readonly models?: readonly ModelSpend[];
};

/** What was used of one model. `cost` in USD. */
export type ModelSpend = {
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cost?: number;
};
export type UsageEvent = { readonly type: "usage" } & Usage;

/** Something that goes on after the turn that began it. `id` is its name within the session. */
export type Running = { readonly id: string; readonly command: string; readonly since: number };

/** `unconfirmed`: it probably finished, but nobody could say so. */
export type Outcome = "done" | "interrupted" | "failed" | "unconfirmed";

export type EndedEvent = {
  readonly type: "ended";
  readonly outcome: Outcome;
  /** The answer, or whatever of it there is. */
  readonly text: string;
  readonly fault?: Fault;
  /** Finished tool calls. */
  readonly calls: number;
  readonly usage?: Usage;
  /** An answer was cut off, and nobody said what it took: that is not in `usage`. */
  readonly uncounted?: true;
  /** What turns of the session have left running. */
  readonly running?: readonly Running[];
  /** As in `started`. */
  readonly side?: Json;
};

/** Where an event belongs. `seq` counts up within the turn, from 1; it is 0 for notices that come after the turn's end. */
export type EventHeader = {
  readonly v: 1;
  readonly seq: number;
  readonly session: SessionId;
  readonly turn: TurnId;
  /** Another process runs the turn: what it said is read from the event log, and only what is kept of it comes. */
  readonly elsewhere?: true;
};

/** Somebody's words, where they were not typed by whoever reads this: before the start of a turn, or into it. */
export type SaidEvent = {
  readonly type: "said";
  readonly from: Principal;
  readonly input: readonly InputPart[];
  /** What their sender calls them, where this process runs the turn. */
  readonly message?: string;
  /** Said into a turn that ran. */
  readonly steered?: true;
};

/** An event as surfaces and `talaria run --json` see it. */
export type Envelope = EventHeader & (TurnEvent | SaidEvent);
export type EndedEnvelope = EventHeader & EndedEvent;
