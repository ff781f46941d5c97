import type { EndedEnvelope } from "../core/events.ts";
import type { Incoming } from "../core/host.ts";
import type { SessionId, TurnId } from "../core/ids.ts";
import type { Lanes } from "../lib/lanes.ts";
import type { Runtime } from "../runtimes/runtime.ts";
import type { Hub } from "./hub.ts";
import type { AgentDeps } from "./index.ts";
import type { SessionLeases } from "./session-lease.ts";
import type { Shortener } from "./compaction/shortener.ts";

/** What the parts of the agent share. */
export type AgentShared = {
  readonly deps: AgentDeps;
  readonly events: Hub;
  readonly leases: SessionLeases;
  readonly lanes: Lanes<SessionId>;
  /** The work of each busy session, the running one first. */
  readonly jobs: Map<SessionId, Job[]>;
  readonly shortener: Shortener | undefined;
  /** Stops what `/compress` does in a session. */
  readonly compressing: Map<SessionId, AbortController>;
  closing: boolean;
  /** Nothing is written any more. */
  closed: boolean;
};

/** One input on its way through its session's lane. `turn` is set once it is opened. */
export type Job = Pick<RunOptions, "attended"> & {
  readonly stop: AbortController;
  readonly ended: Ended;
  /** It still counts as a user of the session's lease. */
  holdsLease: boolean;
  turn?: { readonly id: TurnId; readonly runtime: Runtime; readonly say: ReturnType<Hub["publisher"]> };
};

/** `undefined`: the input was set aside before its turn came. */
export type Ended = Promise<EndedEnvelope | undefined>;

/** How an input is to be run. */
export type RunOptions = Pick<Incoming, "choices" | "attended">;
