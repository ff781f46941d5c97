import type { Json } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { GrantedCommand } from "../work/work.ts";

/** A piece of work on a board. `t_` and ten hexadecimal digits, as the origin has them: people type them. */
export type CardId = `t_${string}`;
/** One attempt at a card: the card's id and which attempt it is (`t_1f….3`). That number is its epoch. */
export type CardRunId = `${CardId}.${number}`;

export const cardStates = [
  "triage",
  "todo",
  "ready",
  "running",
  "blocked",
  "review",
  "done",
  "archived",
] as const;
export type CardState = (typeof cardStates)[number];

/** Where it stands, as a part of a sentence. */
export const cardStands = ({ id, state }: { readonly id: CardId; readonly state: CardState }): string =>
  `${id} is ${["triage", "todo", "review"].includes(state) ? `in ${state}` : state}`;

/** What a worker says it is stopped by. `gave_up` is what the board says itself, after too many failures. */
export const blockKinds = ["dependency", "needs_input", "capability", "transient"] as const;
export type BlockKind = (typeof blockKinds)[number];

/** Who alone lets a blocked card go on. One that waits for other cards is no blocked one: it is `todo`. */
export type Releaser = "person" | "time";

export type Block = {
  readonly kind: Exclude<BlockKind, "dependency"> | "gave_up";
  readonly reason: string;
  readonly releaser: Releaser;
  /** When time releases it. */
  readonly until?: number;
};

/** Where it is worked on: a fresh folder, a folder of the person's, or a git worktree of a repository. */
export type Workspace = "scratch" | `folder:${string}` | `worktree:${string}`;

/** What holds for every attempt at a card, from when it was made. */
export type CardTerms = {
  /** Its turns have the rights of whoever made it, and no more. */
  readonly by: Principal;
  /** Says by its exit code whether it is done. A person has allowed exactly this. */
  readonly check?: string;
  /** What each attempt may run once although nobody can be asked. */
  readonly allow?: readonly GrantedCommand[];
  /** 1: made by a person, or in a turn of theirs · 2: made by the worker of another card. */
  readonly depth: 1 | 2;
  readonly byModel: boolean;
};

export type Card = {
  readonly id: CardId;
  readonly board: string;
  readonly title: string;
  readonly body?: string;
  readonly state: CardState;
  /** Higher ones first. */
  readonly priority: number;
  readonly workspace: Workspace;
  readonly runtime?: string;
  readonly model?: string;
  readonly block?: Block;
  /** Missing of cards that are older than these. */
  readonly terms?: CardTerms;
  /** The block before: said again by the next attempt, a person has to look. */
  readonly lastBlock?: string;
  /** Of attempts in a row, and how many there may be. */
  readonly failures: number;
  readonly failureLimit: number;
  /** How many attempts there were. */
  readonly epoch: number;
  /** The attempt that is under way. */
  readonly run?: CardRunId;
  readonly madeBy: string;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Kept when it is archived: those that wait for it go on. */
  readonly doneAt?: number;
};

export const runOutcomes = [
  "completed",
  "blocked",
  "no_verdict",
  "crashed",
  "timed_out",
  "spawn_failed",
  "reclaimed",
] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export type CardRun = {
  readonly id: CardRunId;
  readonly card: CardId;
  readonly epoch: number;
  /** The process that has claimed the card; missing where a person said that it is done. */
  readonly owner?: { readonly host: string; readonly pid: number; readonly startTime: string };
  readonly session?: string;
  readonly claimedAt: number;
  readonly heartbeatAt: number;
  readonly expiresAt: number;
  readonly endedAt?: number;
  readonly outcome?: RunOutcome;
  readonly summary?: string;
  readonly error?: string;
  /** What speaks for it: exit codes, files, results. */
  readonly evidence?: Json;
};

export type CardComment = {
  readonly at: number;
  readonly by: string;
  readonly run?: CardRunId;
  readonly text: string;
};

/** What happened to it, oldest first. */
export type CardEvent = {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly run?: CardRunId;
  readonly from?: CardState;
  readonly to: CardState;
  readonly detail?: string;
};

/** A card that it waits for, or that waits for it. */
export type LinkedCard = Pick<Card, "id" | "title" | "state" | "doneAt">;

export type CardDetails = Card & {
  readonly parents: readonly LinkedCard[];
  readonly children: readonly LinkedCard[];
  readonly comments: readonly CardComment[];
  readonly events: readonly CardEvent[];
  readonly runs: readonly CardRun[];
};

export type Board = {
  readonly name: string;
  readonly createdAt: number;
  readonly cards: Readonly<Partial<Record<CardState, number>>>;
};

/** A folder that was made for a card. */
export type CardFolder = {
  readonly card: CardId;
  readonly title: string;
  readonly state: CardState | "gone";
  readonly path: string;
  readonly branch?: string;
  /** Why it stays; missing: it can go. */
  readonly kept?: string;
  readonly removed: boolean;
};

export type CardFilter = {
  readonly board?: string;
  readonly states?: readonly CardState[];
  readonly limit: number;
};

export const defaultBoard = "default";

/** What is asked for a new card. */
export type NewCard = {
  readonly title: string;
  readonly body?: string;
  readonly board?: string;
  readonly workspace?: Workspace;
  readonly runtime?: string;
  readonly model?: string;
  readonly terms?: CardTerms;
  readonly priority?: number;
  readonly parents?: readonly CardId[];
  /** A person looks at it before anybody works on it. */
  readonly triage?: boolean;
};
