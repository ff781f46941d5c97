import type { AccessTable } from "../core/access.ts";
import type { Decision } from "../core/asking.ts";
import type { EndedEvent, NoticeEvent, Usage } from "../core/events.ts";
import type {
  ChatTable,
  NewOutbox,
  OutboxTable,
  PeopleTable,
  ReceivedTable,
} from "../core/gateway/tables.ts";
import type { Incoming } from "../core/host.ts";
import type { ApprovalId, GrantId, InboxId, InquiryId, SessionId, TurnId } from "../core/ids.ts";
import type { BegunCall, Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { ApprovalRowState, Bound, StoredApproval, StoredGrant, StoredInquiry } from "../core/ledger.ts";
import type { Message } from "../core/messages.ts";
import type { Principal } from "../core/principal.ts";
import type {
  InputKey,
  InputState,
  ListedSession,
  NewSession,
  SearchHit,
  SearchQuery,
  Session,
  StoredInput,
  StoredMessage,
  StoredTurn,
  RevertedChoices,
} from "../core/session.ts";
import type { DueWork } from "../core/work/work.ts";
import type { StoredUsage, UsageFilter, UsageGroup, UsageSum } from "../core/usage.ts";
import type { CompactionTable } from "./schema/compaction-table.ts";
import type { EventTable } from "./schema/event-tables.ts";
import type { LearnedUseTable, ReviewTable, RevisionTable, SnapshotTable } from "./schema/learning-tables.ts";
import type { DutyLease, LeaseTable } from "./schema/lease-tables.ts";
import type { PastTable } from "./schema/past-table.ts";
import type { LeftRunningTable, ProcessTable } from "./schema/process-tables.ts";
import type { Begun, BegunWaiting, FirstOfWaiting, Waiting } from "./schema/opened-turn.ts";
import type { CallTable, McpToolTable, TodoTable } from "./schema/tool-tables.ts";
import type { DueInputs, WorkTables } from "./schema/work-tables.ts";

/** A process, named so that a reused pid is not taken for it. */
export type Owner = { readonly host: string; readonly pid: number; readonly startTime: string };

/** The right to write one session. Each new holder gets a higher epoch; writes with an older one are refused. */
export type Lease = { readonly session: SessionId; readonly epoch: number };

/** Who wants a lease, and from which holders it may be taken. */
export type Claim = { readonly owner: Owner; readonly isGone: (owner: Owner) => boolean };

export type Acquired = { readonly lease: Lease } | { readonly busy: Owner };

export const leaseExpiryMs = 30_000;
export const leaseHeartbeatMs = 10_000;

/** A write came from somebody who is no longer the holder. Nothing was written. */
export class StaleLeaseError extends Error {
  constructor(lease: Lease | DutyLease) {
    super(
      `${"duty" in lease ? lease.duty : `session ${lease.session}`}: epoch ${lease.epoch} no longer holds the lease`,
    );
    this.name = "StaleLeaseError";
  }
}

/**
 * Where everything durable lives. Every method is one transaction: when it resolves, it survives a power cut; when it
 * rejects, nothing of it happened. Trouble with the medium rejects with a FaultError of code `storage`.
 */
export interface Store extends AsyncDisposable, WorkTables {
  readonly sessions: SessionTable;
  readonly inbox: InboxTable;
  readonly leases: LeaseTable;
  readonly turns: TurnTable;
  readonly received: ReceivedTable;
  readonly chats: ChatTable;
  readonly people: PeopleTable;
  readonly outbox: OutboxTable;
  readonly bindings: BindingTable;
  readonly processes: ProcessTable;
  readonly leftRunning: LeftRunningTable;
  readonly approvals: ApprovalTable;
  readonly inquiries: InquiryTable;
  readonly grants: GrantTable;
  readonly usage: UsageTable;
  readonly compactions: CompactionTable;
  readonly calls: CallTable;
  readonly todos: TodoTable;
  readonly mcpTools: McpToolTable;
  readonly revisions: RevisionTable;
  readonly reviews: ReviewTable;
  readonly learnedUses: LearnedUseTable;
  readonly snapshots: SnapshotTable;
  readonly events: EventTable;
  readonly access: AccessTable;
  readonly meta: MetaTable;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** What opening it has changed, if it was of an earlier version. */
  readonly upgraded?: Upgrade;
}

/** Versions of the schema, and where the store is as it was before. */
export type Upgrade = { readonly from: number; readonly to: number; readonly backup?: string };

export type SessionChange = Partial<Pick<Session, "cwd" | "title" | "runtime" | "model" | "effort">>;

export interface SessionTable extends PastTable {
  get(id: SessionId): Promise<Session | undefined>;
  /** Sessions whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly Session[]>;
  /** Newest activity first. Sessions that another one began are listed under that `parent` alone. */
  list(filter: {
    readonly limit: number;
    readonly cwd?: string;
    readonly parent?: SessionId;
  }): Promise<readonly ListedSession[]>;
  /** For a session in which tools are called without a turn; others begin with their first input. */
  begin(session: NewSession, at: number): Promise<void>;
  /** `undefined` leaves a field as it is. */
  update(id: SessionId, change: SessionChange): Promise<void>;
  /** A title for a session that has none. False: it has one, or there is no such session. */
  giveTitle(id: SessionId, title: string): Promise<boolean>;
  /**
   * Removes the session and everything of it, search index included; its costs stay, without its name. False: there was none,
   * or one in which more was said than `only`.
   */
  delete(id: SessionId, only?: InboxId): Promise<boolean>;
  /** In order of `seq`. With `around`, only the rows within `radius` of that seq. */
  messages(id: SessionId, window?: MessageWindow): Promise<readonly StoredMessage[]>;
  /** In the order in which they were opened. `after`: only those opened after this one. */
  turns(id: SessionId, after?: TurnId): Promise<readonly StoredTurn[]>;
  /** The newest so many, in the same order. */
  lastTurns(id: SessionId, count: number): Promise<readonly StoredTurn[]>;
  /**
   * Begins a new session with copies of all that models are given of the one that the lease is for: ended turns, their
   * items and rows, compactions, pins, things to do. Costs, questions, bindings and an open turn stay where they are, and no copied
   * input can be run. `undefined`: there is no turn to copy, and nothing was written.
   */
  fork(lease: Lease, fork: NewFork): Promise<Session | undefined>;
}

/** Without a title it has none, whatever the other one has. `upTo`: what came after this turn is left out. */
export type NewFork = Pick<NewSession, "id" | "title"> & { readonly at: number; readonly upTo?: TurnId };

/**
 * An input with its name and time in the store. A new session is created in the same transaction, so there are no empty
 * ones; an input that is sent `again` is dropped in it, and if that is gone, a Refusal says so and nothing is stored.
 */
export type Admission = Omit<Incoming, "whenBusy" | "attended"> & {
  readonly id: InboxId;
  readonly at: number;
  /** Nobody has typed it. */
  readonly work?: DueWork;
};

/** `fresh: false`: this key was admitted before; the row is the first one, and nothing was written. */
export type Admitted = { readonly row: StoredInput; readonly fresh: boolean };

/** `from`: the rows of this turn and of all after it. */
export type MessageWindow = { readonly around: number; readonly radius: number } | { readonly from: TurnId };

export type Said = { readonly own: boolean; readonly others: boolean };

export interface InboxTable extends DueInputs {
  admit(admission: Admission): Promise<Admitted>;
  get(id: InboxId): Promise<StoredInput | undefined>;
  /** Oldest first. */
  inState(state: InputState, session?: SessionId): Promise<readonly StoredInput[]>;
  /** Only from the state `from`. False: it was in another state. */
  move(id: InboxId, from: InputState, to: InputState, turn?: TurnId): Promise<boolean>;
  /** Has this one said something in a session, and has somebody else? */
  saidIn(session: SessionId, who: Pick<Principal, "surface" | "id">): Promise<Said>;
  /** Has something of this chat been said in the session? */
  isOfChat(session: SessionId, chat: Omit<InputKey, "messageId">): Promise<boolean>;
  /** Removes one that is set aside. False: there is none. */
  drop(id: InboxId): Promise<boolean>;
  /** Set-aside inputs that the person has not been told about; they count as reported when this resolves. */
  takeUnreported(session: SessionId): Promise<readonly StoredInput[]>;
  /**
   * The words of inputs that came from these surfaces, newest first, each text once and none that is blank. Of very many
   * inputs only the newest are looked at.
   */
  typed(filter: { readonly surfaces: readonly string[]; readonly limit: number }): Promise<readonly string[]>;
}

export type NewTurn = {
  readonly id: TurnId;
  readonly inbox: InboxId;
  readonly runtime: string;
  readonly cwd: string;
  readonly at: number;
};

/** Every write checks the lease's epoch in the same transaction and throws StaleLeaseError. */
export interface TurnTable {
  /**
   * Takes the lease, admits the input, keeps its choices with the session and opens the turn, in one transaction: a commit
   * waits for the disk. `runtime` is for a session that names none; `runtimeOf` says otherwise, or refuses the session by a throw.
   */
  begin(
    claim: Claim,
    admission: Admission,
    first: {
      readonly id: TurnId;
      readonly runtime: string;
      readonly runtimeOf?: (session: Session) => string;
    },
  ): Promise<Begun | { readonly busy: Owner }>;
  /**
   * The same for an input that waits: with the lease alone where it does not any more, an earlier turn is still open, or
   * `runtimeOf` names none.
   */
  beginWaiting(
    claim: Claim,
    input: Waiting,
    chosen: Pick<Admission, "choices" | "at">,
    first: FirstOfWaiting,
  ): Promise<BegunWaiting | { readonly busy: Owner }>;
  /**
   * Opens the turn, moves its input from waiting to started, and writes the user's row. One open turn per session.
   * `undefined`: the input was no longer waiting, and nothing was written. `admission`: its input comes with it.
   */
  open(lease: Lease, turn: NewTurn, admission?: Admission): Promise<StoredTurn | undefined>;
  /** Adds what the runtime told about the turn. `usage`: so far, so that a crash does not hide it. */
  describe(
    lease: Lease,
    turn: TurnId,
    facts: Partial<Pick<StoredTurn, "model" | "side" | "usage">>,
  ): Promise<void>;
  /**
   * Keeps a finished item and its rows; a begun call is closed with it. False: this item is there already, and nothing was written. `usage`: what the turn
   * has used so far, so that a crash does not hide it. `notices`: said before it, and kept in any case.
   */
  keep(
    lease: Lease,
    turn: TurnId,
    item: Item,
    rows: readonly Message[],
    at: number,
    usage?: Usage,
    notices?: readonly NoticeEvent[],
  ): Promise<boolean>;
  /**
   * An input that was sent into the turn (`unconfirmed`) has arrived: it moves to `steered`, and the person's words become
   * a row of the turn. False: it was not sent into this turn, or is there already, and nothing was written.
   */
  steered(lease: Lease, turn: TurnId, inbox: InboxId, at: number): Promise<boolean>;
  /**
   * Ends the turn once, with its replies and its rows in the ledger of costs. False: it was ended before, and nothing of
   * that was written. `tell`: found after a crash. `release`: gives the lease back in the same transaction. `settles`: what
   * was reserved for this input becomes what its session took.
   */
  end(
    lease: Lease,
    turn: TurnId,
    ended: EndedEvent,
    at: number,
    also: {
      readonly replies: readonly Reply[];
      readonly tell: boolean;
      readonly release?: boolean;
      readonly usage?: readonly StoredUsage[];
      readonly unchosen?: RevertedChoices;
      readonly notices?: readonly NoticeEvent[];
      readonly settles?: InboxId;
    },
  ): Promise<boolean>;
  /**
   * Marks ended turns of the session as taken back, all in one undo. Nothing of them is removed. The bindings of the
   * session are, because what a runtime keeps of it has those turns still.
   */
  undo(lease: Lease, turns: readonly TurnId[]): Promise<void>;
  /**
   * Takes the last undo that holds back as a whole, and removes the bindings likewise. Gives its turns, oldest first.
   * Otherwise nothing was written. none: no turn is taken back · since: a turn was opened after it
   */
  redo(lease: Lease): Promise<readonly StoredTurn[] | "none" | "since">;
  items(turn: TurnId): Promise<readonly Item[]>;
  get(turn: TurnId): Promise<StoredTurn | undefined>;
  listOpen(): Promise<readonly StoredTurn[]>;
  /** Turns whose end the person has not been told about; they count as reported when this resolves. */
  takeUnreported(session: SessionId): Promise<readonly StoredTurn[]>;
}

/** What a turn says to a chat when it ends. */
export type Reply = Omit<NewOutbox, "turn">;

/** What a runtime needs to find its own side of a session again (a codex thread id). */
export interface BindingTable {
  load(session: SessionId, runtime: string, cwd: string): Promise<Json | undefined>;
  /** `undefined` forgets it. */
  save(lease: Lease, runtime: string, cwd: string, value: Json | undefined): Promise<void>;
}

/** The outcome of a question. A grant that comes with it is made in the same transaction. */
export type Resolution = {
  readonly state: Exclude<ApprovalRowState, "pending">;
  readonly why: Decision["why"];
  readonly by?: string;
  readonly reason?: string;
  readonly at: number;
  readonly grant?: StoredGrant;
  /** Found after a crash: `takeUnreported` returns it once. */
  readonly tell?: boolean;
};

/** The ledger of questions and decisions. Rows are never changed once decided. */
export interface ApprovalTable {
  /**
   * Pending, or decided already (by the policy or a grant). `owner`: the process that waits for the answer. `call`: is
   * begun with the yes, whoever says it and where; throws StaleLeaseError.
   */
  add(row: StoredApproval, owner: Owner, call?: BegunCall): Promise<void>;
  /** Only from `pending`. False: it was decided before, and nothing was written. */
  resolve(id: ApprovalId, resolution: Resolution): Promise<boolean>;
  /** It waits until then. Only while it is pending. */
  postpone(id: ApprovalId, expiresAt: number): Promise<void>;
  get(id: ApprovalId): Promise<StoredApproval | undefined>;
  /** Rows whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly StoredApproval[]>;
  /** Newest first. */
  list(filter: {
    readonly limit: number;
    readonly session?: SessionId;
    readonly state?: ApprovalRowState;
  }): Promise<readonly StoredApproval[]>;
  /**
   * The newest closed question about exactly this action in this session. What was decided without a question (`allowed`,
   * `refused`) does not count.
   */
  askedBefore(session: SessionId, hash: string): Promise<StoredApproval | undefined>;
  /** Pending rows and who waits for them. */
  waiting(): Promise<readonly { readonly row: StoredApproval; readonly owner: Owner }[]>;
  /** Questions that a crash closed and that the person has not been told about; they count as reported when this resolves. */
  takeUnreported(session: SessionId): Promise<readonly StoredApproval[]>;
}

export interface InquiryTable {
  add(row: StoredInquiry, owner: Owner): Promise<void>;
  /** Only from `pending`. False: it was closed before, and nothing was written. */
  resolve(
    id: InquiryId,
    outcome: Pick<StoredInquiry, "answers" | "by"> & {
      readonly state: Exclude<StoredInquiry["state"], "pending">;
      readonly at: number;
    },
  ): Promise<boolean>;
  /** It waits until then. Only while it is pending. */
  postpone(id: InquiryId, expiresAt: number): Promise<void>;
  get(id: InquiryId): Promise<StoredInquiry | undefined>;
  waiting(): Promise<readonly { readonly row: StoredInquiry; readonly owner: Owner }[]>;
}

export interface GrantTable {
  /** One of scope `always` has no session; the others have one, and go with it. */
  add(grant: StoredGrant): Promise<void>;
  /**
   * A grant that holds now for this action: of this session, always, or of this work, in this order, and one without a
   * limit first. Counts a use, and gives the grant as it is after it; one that was used up is none. One that is tied to
   * files holds for these, as they were, and no other; with `scope`, only such a grant counts.
   */
  use(action: {
    readonly hash: string;
    readonly bound?: Bound;
    readonly scope?: StoredGrant["scope"];
    readonly session: SessionId;
    readonly at: number;
  }): Promise<StoredGrant | undefined>;
  /** Newest first. With `at`, only those that hold then; with `session`, only those that belong to it; with `hash`, for it. */
  list(filter: {
    readonly at?: number;
    readonly session?: SessionId;
    readonly hash?: string;
  }): Promise<readonly StoredGrant[]>;
  /** Grants whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly StoredGrant[]>;
  /** False: there is none, or it was revoked before. */
  revoke(id: GrantId, at: number): Promise<boolean>;
}

/**
 * The ledger of costs. Rows are never changed or removed: when a session is deleted, they only lose its name and that of
 * the turn. Numbers that cannot be (negative, broken) enter as nothing, a cost that cannot be as unknown.
 */
export interface UsageTable {
  /** For a call outside a turn; a turn's own rows come with its end. A session that is gone is left out of the row. */
  add(row: StoredUsage): Promise<void>;
  sum(filter: UsageFilter): Promise<UsageSum>;
  /** By day (UTC), provider, model and cause, oldest day first. */
  groups(filter: UsageFilter): Promise<readonly UsageGroup[]>;
}

export interface MetaTable {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}
