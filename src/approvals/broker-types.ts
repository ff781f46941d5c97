import type { Answered, Answers, Ask, Choice, Inquire } from "../core/asking.ts";
import type { Audience, Caller, Principal } from "../core/principal.ts";
import type { TurnEvent } from "../core/events.ts";
import type { Attended } from "../core/host.ts";
import type { ApprovalId, InquiryId, SessionId, TurnId } from "../core/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Owner, Store } from "../store/store.ts";
import type { Advise } from "./advice.ts";
import type { PolicySettings } from "./policy/policy.ts";
import type { TieOf } from "./tie.ts";
import type { Waiting } from "./waiting.ts";

/** The turn that asks, and who can hear it. */
export type AskingTurn = {
  readonly session: SessionId;
  readonly turn: TurnId;
  /** Where it works. */
  readonly folder: string;
  readonly runtime: string;
  /** Where its input came in. */
  readonly surface: string;
  /** Who it is for. */
  readonly from: Principal;
  readonly audience: Audience;
  readonly attended: Attended;
  say(event: TurnEvent): void;
};

export type BrokerDeps = {
  readonly store: Pick<Store, "approvals" | "inquiries" | "grants">;
  /** This process. */
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
  readonly settings: PolicySettings;
  /** How long a question waits for an answer while nobody follows its session. */
  readonly timeoutMs: number;
  /** Does a person at this machine have the session before them? */
  readonly isFollowed: (session: SessionId) => boolean;
  /** Another value when the path leads to another folder; undefined when it leads nowhere. */
  readonly folderId: (path: string) => Promise<string | undefined>;
  /** What a lasting yes to leave the sandbox is tied to. */
  readonly tieOf: TieOf;
  readonly log: (line: string) => void;
  /** May say yes to one action of low risk before a person is asked. */
  readonly advise?: Advise;
};

/** Where actions wait for a decision, and decisions find them. */
export interface Broker {
  asking(turn: AskingTurn): { readonly ask: Ask; readonly inquire: Inquire };
  /** To a question of this process or of another one of this home. Rejects when the store does, and then nothing was decided. */
  answer(id: ApprovalId, choice: Choice, by: Caller): Promise<Answered>;
  /** `undefined` declines to answer. */
  reply(id: InquiryId, answers: Answers | undefined, by: Caller): Promise<Answered>;
  /** Closes the questions of processes that are gone. How many there were. */
  reconcile(): Promise<number>;
}

/** What the parts of one broker share. */
export type Shared = BrokerDeps & {
  readonly waiting: Waiting;
  /** Codes of notices that are said once. */
  readonly noticesGiven: Set<string>;
};
