import type { InboxId, OutcomeId, ScheduleId, SessionId, TurnId } from "../../core/ids.ts";
import type { StoredGrant } from "../../core/ledger.ts";
import type { InputKey, StoredInput } from "../../core/session.ts";
import type { Limit } from "../../core/spend.ts";
import type { Origin, Schedule, ScheduleChange, StoredOutcome } from "../../core/work/work.ts";
import type { NewOutbox, StoredOutbox } from "../../core/gateway/tables.ts";
import type { Admission } from "../store.ts";
import type { CardTable } from "./card-table.ts";
import type { GoalTable } from "./goal-table.ts";
import type { DutyLease } from "./lease-tables.ts";

export interface WorkTables {
  readonly schedules: ScheduleTable;
  readonly outcomes: OutcomeTable;
  readonly workSpend: WorkSpendTable;
  readonly goals: GoalTable;
  readonly cards: CardTable;
}

/** Inputs of the inbox that are work. */
export interface DueInputs {
  /** Those that wait, and of which this is the time, in the order in which they are due. */
  due(at: number): Promise<readonly StoredInput[]>;
  /** When the next one is due after that. */
  nextDue(after: number): Promise<number | undefined>;
  /** One by the name that was given to it. */
  named(key: InputKey): Promise<StoredInput | undefined>;
}

export interface ScheduleTable {
  /** named: there is one of that name · many: models have made as many as they may. Then nothing was written. */
  add(schedule: Schedule, most?: ModelLimits): Promise<"added" | "named" | "many">;
  get(id: ScheduleId): Promise<Schedule | undefined>;
  /** By name, or by how the id begins; at most 10. Removed ones are not found. */
  find(nameOrId: string): Promise<readonly Schedule[]>;
  /** Oldest first, without removed ones. */
  list(): Promise<readonly Schedule[]>;
  /** `undefined`: it was changed or removed since it had this revision, and nothing was written. */
  change(id: ScheduleId, revision: number, change: ScheduleChange): Promise<Schedule | undefined>;
}

/** How many schedules of models there may be, and how many of them that were made since. */
export type ModelLimits = { readonly alive: number; readonly recent: number; readonly since: number };

/** What is to be done for it: its input, in a session of its own, and what may be done in that without a question. */
export type PlannedWork = { readonly admission: Admission; readonly grants: readonly StoredGrant[] };

export type NewOutcome = Omit<StoredOutcome, "inbox" | "session" | "receipt"> & {
  readonly work?: PlannedWork;
};

export type Settled = Pick<StoredOutcome, "reason" | "delivery"> & {
  readonly state: Exclude<StoredOutcome["state"], "planned">;
  readonly at: number;
};

/** One row for everything that was expected. A row is settled once, and stays. */
export interface OutcomeTable {
  /**
   * Instants of a schedule that are due become rows, each with its work, all in one transaction. Those that have one already
   * are left as they are. `undefined`: the schedule was changed since, or the lease is lost, and nothing was written.
   */
  plan(
    of: { readonly schedule: Pick<Schedule, "id" | "revision">; readonly lease?: DutyLease },
    rows: readonly NewOutcome[],
  ): Promise<readonly OutcomeId[] | undefined>;
  /** Something that is told once. False: it is there. */
  note(row: NewOutcome): Promise<boolean>;
  /** The last instant of a schedule that has a row. */
  lastInstant(schedule: ScheduleId): Promise<number | undefined>;
  /** The same of all that have one. */
  lastInstants(): Promise<ReadonlyMap<ScheduleId, number>>;
  get(id: OutcomeId): Promise<StoredOutcome | undefined>;
  /** Rows whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly StoredOutcome[]>;
  /** What is done in this session. */
  ofSession(session: SessionId): Promise<StoredOutcome | undefined>;
  ofInput(inbox: InboxId): Promise<StoredOutcome | undefined>;
  /** Newest instants first; of one thing, or of all schedules. */
  list(filter: { readonly limit: number; readonly subject?: string }): Promise<readonly StoredOutcome[]>;
  /** Oldest first. */
  planned(subject?: string): Promise<readonly StoredOutcome[]>;
  /**
   * How it ended, once, with what that took of its budgets. Work that had not begun goes. False: it was settled before, or is
   * being tried again with other work than this.
   */
  settle(id: OutcomeId, inbox: InboxId | undefined, ended: Settled): Promise<boolean>;
  /** It is tried again, with other work. False as above. */
  again(id: OutcomeId, inbox: InboxId, work: PlannedWork): Promise<boolean>;
  /** What the owner has not been told, for this turn to tell: until it ends nobody else gets it. */
  takeUntold(turn: TurnId): Promise<readonly StoredOutcome[]>;
  /** What this turn took was shown, and counts as delivered. */
  told(turn: TurnId): Promise<void>;
  /** What was not told and can be told in a chat, whatever its target is; not what came back from one. Oldest first. */
  untold(): Promise<readonly StoredOutcome[]>;
  /**
   * All of these are told by this message: it goes into the outbox, and they count as delivered with it as their receipt. If it dies,
   * they wait for a terminal. `undefined`: one of them was told before, and nothing was written.
   */
  handOver(ids: readonly OutcomeId[], row: NewOutbox, at: number): Promise<StoredOutbox | undefined>;
}

/** A limit over what work takes: of all of it, of an origin, of one thing. `key`: its name in config.yaml. */
export type WorkLimit = {
  readonly key: string;
  readonly unit: "turns" | "tokens" | "usd";
  readonly limit: number;
  readonly since: number;
  readonly origin?: Origin;
  readonly subject?: string;
};

export type WorkUse = WorkLimit & { readonly used: number };

export type Reservation = {
  readonly inbox: InboxId;
  readonly origin: Origin;
  readonly subject: string;
  readonly at: number;
  readonly tokens: number;
  readonly usd: number;
};

/** What work takes of its budgets: as much as it may while it runs, then what it took. */
export interface WorkSpendTable {
  /** `full`: it would go over this one, and nothing was written. Else how much of each is used with it. */
  reserve(
    wanted: Reservation,
    limits: readonly WorkLimit[],
  ): Promise<{ readonly full: WorkUse } | { readonly uses: readonly WorkUse[] }>;
  uses(limits: readonly WorkLimit[]): Promise<readonly WorkUse[]>;
  /** It has ended, and has no outcome row that would say so: what it took takes the place of what it might have. `spent`: where that is not what its session took. False: it was settled before. */
  settle(inbox: InboxId, spent?: Required<Limit>): Promise<boolean>;
  /** What was reserved for work of this origin and is not settled, oldest first. */
  open(origin: Origin): Promise<readonly Pick<Reservation, "inbox" | "subject" | "at">[]>;
  /** Work that has not begun goes, with its session and what was reserved for it. */
  withdraw(inbox: InboxId): Promise<void>;
}
