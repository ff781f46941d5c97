import type { Ask, Inquire } from "../core/asking.ts";
import type { Compress } from "../core/compaction.ts";
import type { Follow, FollowedEvent } from "../core/event-log.ts";
import type { NoticeEvent, Running, TurnEvent } from "../core/events.ts";
import type { FaultError } from "../core/faults.ts";
import type {
  Attended,
  Follower,
  Undone,
  Incoming,
  Listener,
  Sent,
  Stopped,
  TurnChoices,
  Unsubscribe,
} from "../core/host.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { InputPart } from "../core/messages.ts";
import type { Audience, Principal } from "../core/principal.ts";
import type { Session, StoredInput } from "../core/session.ts";
import type { Budgets, Limit, PriceOf } from "../core/spend.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRegistry } from "../lib/process/child.ts";
import type { RecordFrame, Runtime, Turn } from "../runtimes/runtime.ts";
import type { FoundAtStart } from "../store/schema/opened-turn.ts";
import type { Owner, Store } from "../store/store.ts";
import type { ToolBox, TurnContext } from "../tools/tool.ts";
import type { CompactionDeps } from "./compaction/compact.ts";
import type { Hub } from "./hub.ts";

/** Sessions over time: input is admitted, runs as a turn on a runtime, is committed, and is repaired after a crash. */
export interface Agent extends AsyncDisposable {
  /** Resolves once the input is durable; rejects with a Refusal or a FaultError, and then nothing was stored. */
  send(incoming: Incoming): Promise<Sent>;
  /** Runs work that is in the inbox already and waits; nobody is asked. Rejects as `send` does, and then it still waits. */
  start(input: StoredInput, choices: TurnChoices): Promise<Sent>;
  /** `elsewhere`: what other processes do in the session is told, too, and marked so; a turn that is open from its start. */
  subscribe(session: SessionId, listener: Listener, by?: Follower, elsewhere?: boolean): Unsubscribe;
  /** Resolves when all that others have done in the session until now was told to whoever wants to hear of it. */
  catchUp(session: SessionId): Promise<void>;
  /** The event log, until the signal aborts. Rejects with a Refusal on a cursor that is none. */
  follow(follow: Follow, signal: AbortSignal): AsyncIterable<FollowedEvent>;
  /** What `/compress` asks for, between two turns. Rejects with a Refusal while one runs, or with a FaultError. */
  compress(session: SessionId, asked: Compress): Promise<string>;
  /**
   * Interrupts the running turn of this process and ends what turns have left running; queued input is set aside: it is
   * kept, and not run by itself. `by`: only what is theirs; rejects with a Refusal when that is nothing of what there is.
   */
  stop(session: SessionId, by?: Principal): Promise<Stopped>;
  /**
   * The last turns are left out of what models are given. Rejects with a Refusal while one of it runs anywhere. `by`: and
   * unless all of them are theirs.
   */
  undo(session: SessionId, turns: number, by?: Principal): Promise<Undone>;
  redo(session: SessionId, by?: Principal): Promise<Undone>;
  /** `upTo`: what came after this turn is left out; then a turn may run meanwhile. */
  fork(session: SessionId, upTo?: TurnId): Promise<Session>;
  /** What the next turns run with. Rejects with a Refusal while one runs in this process. */
  choose(session: SessionId, change: SessionChoices): Promise<void>;
  /** What turns of this session have left running in this process. */
  running(session: SessionId): readonly Running[];
  /**
   * Ends it, or the one with this id. Resolves with what was ended. `by`: rejects with a Refusal when others have said
   * something in the session, since it may be of their turns.
   */
  endRunning(session: SessionId, id?: string, by?: Principal): Promise<readonly Running[]>;
  /** Is a turn of this session running or queued in this process? */
  isBusy(session: SessionId): boolean;
  /** Lets another process have what runtimes keep of the session between turns. False: a turn of it runs here. */
  release(session: SessionId): Promise<boolean>;
  /** In how many sessions is one? */
  busy(): number;
  /** Closes what a crash left open, in sessions nobody holds. Input of chats stays waiting. Returns what it did, for the log. */
  reconcile(): Promise<Reconciled>;
  /** The same in one session, while this process is at work. */
  reconcileSession(session: SessionId): Promise<Reconciled>;
  /** Runs the input of chats that waits in sessions nobody holds. Only for the executor of a home. Returns how many. */
  runWaiting(): Promise<number>;
  /** Resolves when nothing runs and nothing is queued. */
  drain(): Promise<void>;
}

/** What stays with a session once it was chosen. */
export type SessionChoices = Pick<TurnChoices, "runtime" | "model" | "effort">;

export type Reconciled = {
  readonly turns: number;
  readonly setAside: number;
};

export type AgentDeps = {
  readonly store: Store;
  /** Who watches which session. Others that tell them something have it, too. */
  readonly watchers: Hub;
  readonly runtimes: Readonly<Record<string, Runtime>>;
  /** Finishes turns whose own runtime cannot, because its provider is out of service. */
  readonly standIn?: Runtime;
  /** The runtime of a session in which nobody chose one. */
  readonly defaultRuntime: string;
  /** Why a session that is held with these may not run there. Where it may not by default, it runs on the loop. */
  readonly whyNotOn: (audience: Audience, runtime: string) => string | undefined;
  /** What a turn starts with beside history and input. */
  readonly prepare: (session: Session, choices: TurnChoices, found?: FoundAtStart) => Promise<Prepared>;
  readonly toolBox: (context: TurnContext) => Promise<ToolBox>;
  /**
   * Makes ready what the tools of a turn on this runtime need, and resolves soon, with what the person should hear about
   * it. Never rejects.
   */
  readonly ready?: (runtime: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** What is known elsewhere about an input. Resolves soon. Never rejects. */
  readonly recall?: (
    session: Session,
    input: readonly InputPart[],
    choices: TurnChoices,
    signal: AbortSignal,
  ) => Promise<Recalled>;
  readonly asking: (turn: AskingTurn) => Asking;
  /** Looks again at whoever a turn is for. Without it, everybody may who was let in once. */
  readonly standing?: Standing;
  /** How conversations that become too long are shortened. */
  readonly compaction?: CompactionDeps;
  /** How long a turn may work, the wait for a person not counted. */
  readonly turnBudgetMs?: number;
  readonly spending: Spending;
  /** What else there is to tell the person with the next turn of a session, once. Never rejects. */
  readonly news?: (
    session: Session,
    /** The turn that tells it. */
    turn: TurnId,
    /** Where the turn's input came in. */
    surface: string,
    found?: Pick<FoundAtStart, "hasReviews" | "hasOutcomes">,
  ) => Promise<readonly NoticeEvent[]>;
  /** Ends what this turn has begun beside itself, and resolves soon: it ends before the turn does. Never rejects. */
  readonly endTurnWork?: (turn: TurnId) => Promise<void>;
  /** What tools of turns have left running. */
  readonly background?: Required<Pick<Runtime, "running" | "endRunning">>;
  readonly processes: ProcessRegistry;
  /** Opens the recording of a turn. */
  readonly recording: (turn: TurnId) => Promise<Recording>;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly answering: (surface: string) => Answering;
  /** Masks secrets in what tools return. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/**
 * How whoever sends from a surface gets the answer. `awaited`: they wait there and are gone with the process, so what it leaves is set
 * aside. The others' input waits for an executor: `read` again by those who have asked, or `posted` through the outbox.
 */
export type Answering = "awaited" | "read" | "posted";

/** Whether those who were let in may still have turns. */
export type Standing = {
  /** Rejects with a FaultError when nothing of theirs may begin any more. */
  check(input: SaidBy): Promise<void>;
  /**
   * A turn of theirs begins. Rejects with a FaultError when there is nothing left that it could use. `isPart`: of another
   * turn of theirs, which waits for it. `end` is called when they may go on no more, until the answer is disposed of.
   */
  begin(input: SaidBy, isPart: boolean, end: (why: FaultError) => void): Promise<Allowance>;
};

/** Who has said something, and where: in a group, it may be that which was let in. */
export type SaidBy = Pick<StoredInput, "from" | "key">;

/** `left`: what it may use. */
export type Allowance = Disposable & { readonly left?: Limit };

/** Who is paid for turns, how much, and how much may be spent. */
export type Spending = {
  /** Answers where a runtime names nobody else. */
  readonly provider: string;
  readonly priceOf: PriceOf;
  readonly budgets: Budgets;
};

/** `context`: lines for the model. `remarks`: what the person should hear about it. */
export type Recalled = { readonly context: readonly string[]; readonly remarks: readonly string[] };

/** A turn that may have questions, and who could answer them. */
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
  readonly say: (event: TurnEvent) => void;
};

export type Asking = { readonly ask: Ask; readonly inquire: Inquire };

export type Recording = AsyncDisposable & { readonly file: string; readonly record: RecordFrame };

export type Prepared = Pick<Turn, "instructions" | "project" | "context">;
