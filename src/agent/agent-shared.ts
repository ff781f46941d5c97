import type { EndedEnvelope } from "../core/events.ts";
import type { Fault } from "../core/faults.ts";
import type { Attended, TurnChoices } from "../core/host.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { StoredInput } from "../core/session.ts";
import type { Limit } from "../core/spend.ts";
import type { Lanes } from "../lib/lanes.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { Begun } from "../store/schema/opened-turn.ts";
import type { Shortener } from "./compaction/shortener.ts";
import type { Elsewhere } from "./following/elsewhere.ts";
import type { Hub } from "./hub.ts";
import type { AgentDeps } from "./index.ts";
import type { KnownHistories } from "./known-histories.ts";
import type { HeldLease, SessionLeases } from "./session-lease.ts";

/** What the parts of the agent share. */
export type AgentShared = {
  readonly deps: AgentDeps;
  readonly events: Hub;
  readonly leases: SessionLeases;
  readonly lanes: Lanes<SessionId>;
  /** The work of each busy session, the running one first. */
  readonly jobs: Map<SessionId, Job[]>;
  /** Turns that are being opened and are no job yet: whoever stops a session, or ends the agent, waits for them. */
  readonly beginning: Map<SessionId, Set<Promise<unknown>>>;
  readonly histories: KnownHistories;
  /** Resolves when whoever watches a session here was told all that others have done in it. */
  readonly catchUp: Elsewhere["catchUp"];
  readonly shortener: Shortener | undefined;
  /** Stops what `/compress` does in a session. */
  readonly compressing: Map<SessionId, AbortController>;
  /** Turns that have ended here and are still open in the store, with why. `over`: nobody tries to close them any more. */
  readonly unkept: { readonly faults: Map<TurnId, Fault>; readonly over: AbortController };
  closing: boolean;
  /** Nothing is written any more. */
  closed: boolean;
};

/** One input on its way: first in its session's lane, then as a turn. What belongs to the turn is set when that is open. */
export type Job = {
  readonly input: StoredInput;
  readonly choices: TurnChoices;
  readonly attended: Attended;
  readonly held: HeldLease;
  readonly stop: AbortController;
  readonly ended: Ended;
  /** What whoever it is for may still use. */
  left?: Limit;
  /** Sent into its turn, and nobody can say yet whether it has arrived: that is asked at the end of the turn. */
  readonly unsure: StoredInput[];
  /** That was asked. */
  isSettled: boolean;
  /** It still counts as a user of the session's lease. */
  holdsLease: boolean;
} & Partial<Opened>;

/** A job whose turn is open. */
export type OpenJob = Job & Opened;

type Opened = NonNullable<Begun["opened"]> & {
  /** Who runs it now, and is to be steered: another one may have to finish it. */
  runtime: Runtime;
  readonly say: ReturnType<Hub["publisher"]>;
};

/** `undefined`: the input was set aside before its turn came. */
export type Ended = Promise<EndedEnvelope | undefined>;
