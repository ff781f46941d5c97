import type { EndedEvent } from "../core/events.ts";
import type { InboxId, SessionId, TurnId } from "../core/ids.ts";
import type { Item } from "../core/items.ts";
import type { Json } from "../core/json.ts";
import type { InputPart, Message } from "../core/messages.ts";
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
} from "../core/session.ts";

/** A process, named so that a reused pid is not taken for it. */
export type Owner = { readonly host: string; readonly pid: number; readonly startTime: string };

/** The right to write one session. Each new holder gets a higher epoch; writes with an older one are refused. */
export type Lease = { readonly session: SessionId; readonly epoch: number };

export const leaseExpiryMs = 30_000;
export const leaseHeartbeatMs = 10_000;

/** A write came from somebody who is no longer the session's holder. Nothing was written. */
export class StaleLeaseError extends Error {
  constructor(lease: Lease) {
    super(`session ${lease.session}: epoch ${lease.epoch} no longer holds the lease`);
    this.name = "StaleLeaseError";
  }
}

/**
 * Where everything durable lives. Every method is one transaction: when it resolves, it survives a power cut; when it
 * rejects, nothing of it happened. Trouble with the medium rejects with a FaultError of code `storage`.
 */
export interface Store extends AsyncDisposable {
  readonly sessions: SessionTable;
  readonly inbox: InboxTable;
  readonly leases: LeaseTable;
  readonly turns: TurnTable;
  readonly outbox: OutboxTable;
  readonly bindings: BindingTable;
  readonly processes: ProcessTable;
  readonly meta: MetaTable;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
}

export interface SessionTable {
  get(id: SessionId): Promise<Session | undefined>;
  /** Sessions whose id starts with this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly Session[]>;
  /** Newest activity first. */
  list(filter: { readonly limit: number; readonly cwd?: string }): Promise<readonly ListedSession[]>;
  /** `undefined` leaves a field as it is. */
  update(
    id: SessionId,
    change: Partial<Pick<Session, "cwd" | "title" | "runtime" | "model" | "effort">>,
  ): Promise<void>;
  /** Removes the session and everything of it, search index included. False: there was none. */
  delete(id: SessionId): Promise<boolean>;
  /** In order of `seq`. With `around`, only the rows within `radius` of that seq. */
  messages(
    id: SessionId,
    window?: { readonly around: number; readonly radius: number },
  ): Promise<readonly StoredMessage[]>;
  /** In the order they were opened. */
  turns(id: SessionId): Promise<readonly StoredTurn[]>;
}

export type Admission = {
  readonly id: InboxId;
  readonly key: InputKey;
  /** A new session is created in the same transaction, so there are no empty ones. */
  readonly session: SessionId | NewSession;
  readonly input: readonly InputPart[];
  readonly at: number;
};

export interface InboxTable {
  /** `fresh: false`: this key was admitted before; the first row is returned and nothing is written. */
  admit(admission: Admission): Promise<{ readonly row: StoredInput; readonly fresh: boolean }>;
  get(id: InboxId): Promise<StoredInput | undefined>;
  /** Oldest first. */
  inState(state: InputState, session?: SessionId): Promise<readonly StoredInput[]>;
  /** Only from the state `from`. False: it was in another state. */
  move(id: InboxId, from: InputState, to: InputState, turn?: TurnId): Promise<boolean>;
  /** Set-aside inputs nobody has been told about; they count as told when this resolves. */
  takeUntold(session: SessionId): Promise<readonly StoredInput[]>;
}

/** A lease may exist before its session: it is taken before the first input is admitted. */
export interface LeaseTable {
  /**
   * Free, released, expired (no heartbeat for 30 s) or held by a process that `isGone` → a lease with the next epoch.
   * Held by anybody else, another part of the same process included → busy.
   */
  acquire(
    session: SessionId,
    owner: Owner,
    at: number,
    isGone: (owner: Owner) => boolean,
  ): Promise<{ readonly lease: Lease } | { readonly busy: Owner }>;
  holder(session: SessionId): Promise<{ readonly owner: Owner; readonly heartbeat: number } | undefined>;
  /** False: the lease is no longer ours. */
  renew(lease: Lease, at: number): Promise<boolean>;
  /** The epoch stays counted. */
  release(lease: Lease): Promise<void>;
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
   * Opens the turn, moves its input from waiting to started, and writes the user's row. One open turn per session.
   * `undefined`: the input was no longer waiting, and nothing was written.
   */
  open(lease: Lease, turn: NewTurn): Promise<StoredTurn | undefined>;
  /** Adds what the runtime told about the turn. */
  describe(
    lease: Lease,
    turn: TurnId,
    facts: Partial<Pick<StoredTurn, "model" | "thread" | "codexTurn">>,
  ): Promise<void>;
  /** Keeps a finished item and its rows. False: this item is there already, and nothing was written. */
  keep(lease: Lease, turn: TurnId, item: Item, rows: readonly Message[], at: number): Promise<boolean>;
  /** Ends the turn once, with its replies. False: it was ended before, and nothing was written. `tell`: found after a crash. */
  end(
    lease: Lease,
    turn: TurnId,
    ended: EndedEvent,
    at: number,
    also: { readonly replies: readonly Reply[]; readonly tell: boolean },
  ): Promise<boolean>;
  items(turn: TurnId): Promise<readonly Item[]>;
  listOpen(): Promise<readonly StoredTurn[]>;
  /** Turns that ended without anybody being told; they count as told when this resolves. */
  takeUntold(session: SessionId): Promise<readonly StoredTurn[]>;
}

/** Something to deliver to a chat. `part` numbers the pieces of one turn; (turn, part) is unique. */
export type Reply = {
  readonly part: number;
  readonly surface: string;
  readonly chat: string;
  readonly body: string;
};

export type ReplyState = "pending" | "sending" | "sent" | "unknown" | "failed";

export type StoredReply = Reply & {
  readonly turn: TurnId;
  readonly state: ReplyState;
  readonly attempts: number;
  readonly platformId?: string;
};

export interface OutboxTable {
  inState(state: ReplyState, surface?: string): Promise<readonly StoredReply[]>;
  /** Only from the state `from`; moving to `sending` counts an attempt. False: it was in another state. */
  move(
    reply: Pick<StoredReply, "turn" | "part">,
    from: ReplyState,
    to: ReplyState,
    platformId?: string,
  ): Promise<boolean>;
}

/** What a runtime needs to find its own side of a session again (a codex thread id). */
export interface BindingTable {
  load(session: SessionId, runtime: string, cwd: string): Promise<Json | undefined>;
  /** `undefined` forgets it. */
  save(lease: Lease, runtime: string, cwd: string, value: Json | undefined): Promise<void>;
}

export type ChildRecord = {
  readonly pid: number;
  readonly startTime: string;
  readonly kind: string;
  readonly owner: Owner;
};

/** Children that must not outlive us. */
export interface ProcessTable {
  add(child: ChildRecord): Promise<void>;
  remove(pid: number, startTime: string): Promise<void>;
  list(): Promise<readonly ChildRecord[]>;
}

export interface MetaTable {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}
