import type { RevisionId, SessionId, TurnId } from "./ids.ts";
import type { Json } from "./json.ts";

/** Who wanted a change of what is learned. */
export type Author = "person" | "agent" | "review" | "curator";

/**
 * writing: wanted and not yet known to be on disk · active: it happened · proposed: it waits for a person · rejected: a
 * person said no · failed: it did not happen
 */
export type RevisionState = "writing" | "active" | "proposed" | "rejected" | "failed";

/** Where a change comes from. */
export type LearnedFrom = {
  readonly by: Author;
  readonly session?: SessionId;
  readonly turn?: TurnId;
  /** Lines of the conversation that it rests on. */
  readonly evidence: readonly string[];
  /** Did all of it come from the person or the agent's own work? Text of others is never trusted. */
  readonly trusted: boolean;
};

/** One change of one file of memory or of a skill. */
export type Revision = LearnedFrom & {
  readonly id: RevisionId;
  readonly at: number;
  readonly kind: "memory" | "skill";
  /** Below the home: `memories/USER.md`, `skills/deploy/SKILL.md`. */
  readonly file: string;
  /** One line for people. */
  readonly summary: string;
  /** What was asked for, so that a proposal can be done later to the file as it then is. */
  readonly change: Json;
  /** The whole file; undefined: there is none. Of a proposal: as it was, and as it would be. */
  readonly before?: string;
  readonly after?: string;
  readonly state: RevisionState;
  /** Why it waits, was rejected or failed. */
  readonly why?: string;
  /** The revision that this one takes back. */
  readonly reverts?: RevisionId;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
};

export type RevisionFilter = {
  readonly limit: number;
  readonly since?: number;
  readonly states?: readonly RevisionState[];
  readonly kind?: Revision["kind"];
  readonly file?: string;
};

/** A review of a session. `upTo`: the last turn that it had before it. */
export type StoredReview = {
  readonly session: SessionId;
  readonly kind: "memory" | "skills";
  readonly upTo: TurnId;
  readonly at: number;
  /** running: under way, or its process is gone · cancelled: the next turn came first */
  readonly state: "running" | "done" | "cancelled" | "failed";
  /** What it cost is in the ledger of costs. */
  readonly tokens: number;
  /** What came of it, in one line. */
  readonly result?: string;
};

/** That something learned was before the model in a turn. */
export type StoredUse = {
  readonly kind: "memory" | "skill";
  /** A skill's name, or the hash of a memory entry. */
  readonly name: string;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly at: number;
};

/** What is known of one skill or entry from the turns that had it. `calls`: tool calls of all those turns. */
export type UseSum = {
  readonly kind: StoredUse["kind"];
  readonly name: string;
  readonly uses: number;
  readonly first: number;
  readonly last: number;
  readonly done: number;
  readonly failed: number;
  readonly calls: number;
};
