import type { Fault } from "./faults.ts";
import type { Outcome, Usage } from "./events.ts";
import type { InboxId, ItemId, SessionId, TurnId } from "./ids.ts";
import type { Item } from "./items.ts";
import type { Json } from "./json.ts";
import type { InputPart, Message } from "./messages.ts";
import type { Audience, Principal } from "./principal.ts";
import type { DueWork } from "./work/work.ts";

/** One conversation, from any surface. Of runtime, model and effort only what somebody chose is set. */
export type Session = {
  readonly id: SessionId;
  readonly cwd: string;
  /** Where it began: cli, tui, telegram… */
  readonly surface: string;
  readonly audience: Audience;
  readonly title?: string;
  readonly runtime?: string;
  readonly model?: string;
  readonly effort?: string;
  /** The session that began it, for a part of its own work. It goes with that one. */
  readonly parent?: SessionId;
  readonly mark?: SessionMark;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** ephemeral: nobody named it, and nothing goes on in it · hidden: a chat program's own small request, in no list */
export type SessionMark = "ephemeral" | "hidden";

/** How hard a model may be asked to think. Not every model knows every level. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

export const isEffort = (text: string): boolean => efforts.some((effort) => effort === text);

/** A session in a list, with the beginning of its first message. */
export type ListedSession = Session & { readonly preview?: string };

export type NewSession = Omit<Session, "createdAt" | "updatedAt">;

/** One that somebody wants to begin. What they do not say is as it is for them. */
export type StartedSession = Omit<NewSession, "cwd" | "surface" | "audience"> &
  Partial<Pick<NewSession, "cwd" | "surface" | "audience">>;

/** Names an input the way its surface does, so that a repeated delivery is recognised. */
export type InputKey = {
  readonly surface: string;
  readonly account: string;
  readonly chat: string;
  readonly messageId: string;
};

/**
 * waiting: admitted, not started · started: its turn exists · steered: joined a running turn ·
 * unconfirmed: sent into a running turn, nobody can say whether it arrived · kept: set aside, never run by itself
 */
export type InputState = "waiting" | "started" | "steered" | "unconfirmed" | "kept";

export type StoredInput = {
  readonly id: InboxId;
  readonly key: InputKey;
  readonly from: Principal;
  readonly session: SessionId;
  readonly input: readonly InputPart[];
  readonly receivedAt: number;
  readonly state: InputState;
  readonly turn?: TurnId;
  /** Nobody has typed it: it waits until it is due, and for an executor. */
  readonly work?: DueWork;
};

/** A message with its place. `seq` grows over the whole session and never changes. */
export type StoredMessage = {
  readonly seq: number;
  readonly turn: TurnId;
  readonly item: ItemId;
  readonly at: number;
  readonly message: Message;
};

export type StoredTurn = {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly inbox: InboxId;
  readonly epoch: number;
  readonly runtime: string;
  readonly cwd: string;
  readonly model?: string;
  /** What the runtime keeps with it; nobody else reads it. */
  readonly side?: Json;
  readonly state: "open" | Outcome;
  readonly fault?: Fault;
  readonly usage?: Usage;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The person took it back: it is kept, and models are not given it. */
  readonly undone?: true;
};

/** A turn as it was: what was finished in it, and what the person said (as rows) where it came. */
export type PastTurn = {
  readonly turn: StoredTurn;
  readonly parts: readonly (Item | StoredMessage)[];
};

/** `earlier`: how many messages came before those turns. */
export type Past = { readonly earlier: number; readonly turns: readonly PastTurn[] };

/** `last`: the newest whole turns with so many messages together; one is there even if it alone has more. */
export type PastWindow = { readonly last: number } | { readonly turns: readonly TurnId[] };

/** `takenBack`: how many of the messages belong to turns that were taken back. */
export type SessionCount = { readonly turns: number; readonly messages: number; readonly takenBack: number };

/** A turn with its rows in order: what history is made of. */
export type TurnRecord = {
  readonly turn: Pick<StoredTurn, "id" | "state" | "fault" | "undone">;
  readonly messages: readonly Message[];
};

export type SearchQuery = {
  readonly text: string;
  readonly limit: number;
  readonly roles?: readonly Message["role"][];
  readonly session?: SessionId;
  /** Leaves out this session and those that it began. */
  readonly excludeSession?: SessionId;
  readonly sort?: "best" | "newest" | "oldest";
};

export type SearchHit = {
  readonly session: SessionId;
  readonly title?: string;
  readonly turn: TurnId;
  readonly seq: number;
  readonly role: Message["role"];
  readonly at: number;
  /** The place of the hit, the found words between « and ». */
  readonly snippet: string;
};

/** What a session goes back to; `null`: nobody has chosen it. */
export type RevertedChoices = { readonly [Key in "runtime" | "model" | "effort"]?: string | null };
