import type { ApprovalState, InquiryState } from "./asking.ts";
import type { EndedEvent, EventHeader, ItemEvent, NoticeEvent, TurnEvent } from "./events.ts";
import type { SessionId, TurnId } from "./ids.ts";
import type { InputPart } from "./messages.ts";
import type { Principal } from "./principal.ts";

/** What happened to a session and was committed. Whoever follows it later or elsewhere reads the same, in the same order. */
export type DurableEvent =
  | { readonly type: "began"; readonly cwd: string; readonly surface: string; readonly parent?: SessionId }
  /** What the session has from then on. */
  | {
      readonly type: "changed";
      readonly cwd?: string;
      readonly title?: string;
      readonly runtime?: string;
      readonly model?: string;
      readonly effort?: string;
    }
  /** `model` is missing while nobody has said which one answers. */
  | {
      readonly type: "started";
      readonly runtime: string;
      readonly model?: string;
      readonly cwd: string;
      readonly from: Principal;
      readonly input: readonly InputPart[];
    }
  /** Said into the running turn. */
  | { readonly type: "steered"; readonly from: Principal; readonly input: readonly InputPart[] }
  | ItemEvent
  | NoticeEvent
  | { readonly type: "approval"; readonly approval: ApprovalState }
  | { readonly type: "inquiry"; readonly inquiry: InquiryState }
  | EndedEvent
  | { readonly type: "undone" | "redone" }
  | { readonly type: "compacted" | "uncompacted" }
  | { readonly type: "deleted" }
  /** Something that this version of the program does not know. */
  | { readonly type: "other"; readonly name: string };

/** `number` counts the events of the session from 1, without holes. `cursor`: to go on behind it. */
export type LoggedEvent = {
  readonly v: 1;
  readonly cursor: string;
  readonly number: number;
  readonly at: number;
  readonly session: SessionId;
  readonly turn?: TurnId;
} & DurableEvent;

/** Said while something goes on in this process, and kept nowhere. */
export type LiveEvent = Pick<EventHeader, "v" | "session" | "turn"> &
  Extract<TurnEvent, { readonly type: "begin" | "delta" | "status" | "usage" }>;

/**
 * What a follower reads. First, and whenever something was missed, whether it goes on where it left off: after a `gap`
 * read the session again, what comes next begins at `cursor`. A heartbeat every 15 s says that the line is alive.
 */
export type FollowedEvent =
  | { readonly v: 1; readonly type: "resume"; readonly resume: "ok" | "gap"; readonly cursor: string }
  | { readonly v: 1; readonly type: "heartbeat"; readonly at: number }
  | LoggedEvent
  | LiveEvent;

export type FollowedSession = { readonly session: SessionId } | "all";

export type Follow = {
  readonly of: FollowedSession;
  /** A cursor that was read before; `start`: all that is kept. Without it: from now on. */
  readonly after?: string;
  /** Ends with what is there. */
  readonly once?: true;
};
