/**
 * What is compared: the least that runs a turn, the same when codex is told what Talaria tells it, and Talaria. Each runs
 * in a process of its own, with a codex of its own.
 */
export type SideName = (typeof sideNames)[number];
export const sideNames = ["thin", "equal", "talaria"] as const;

/** Sessions are named by number. */
export interface Side extends AsyncDisposable {
  /** One turn, to its end and to the end of what is done afterwards. */
  turn(session: number): Promise<TurnTimes>;
  /** Process id of its codex. */
  codex(): number;
  /** Ends codex in the middle of a turn. Only where somebody looks after that. */
  kill?(): Promise<Kill>;
}

/** Milliseconds since the input was handed over. */
export type TurnTimes = {
  /** Codex has confirmed that the turn runs. */
  readonly startedMs: number;
  /** The answer is there in full. */
  readonly textMs: number;
  readonly endedMs: number;
  /** What was still to do after the end was told. */
  readonly afterMs: number;
  /** Processor time of the side's own process, codex not counted. Left out where several turns share it. */
  readonly cpuMs?: number;
  readonly done: boolean;
  readonly store?: StoreWork;
};

/** What one turn asked of the store. */
export type StoreWork = {
  readonly statements: number;
  readonly statementMs: number;
  readonly commits: number;
  readonly commitMs: number;
  readonly calls: readonly StoreCall[];
};

/** When it began and how long the caller waited. */
export type StoreCall = { readonly name: string; readonly atMs: number; readonly tookMs: number };

export type Memory = { readonly ownMiB: number; readonly codexMiB: number };

/** Since each of them began. */
export type Processor = { readonly ownMs: number; readonly codexMs: number };

/** `lost`: the turn ended as one whose codex was gone. */
export type Kill = { readonly endedMs: number; readonly lost: boolean };

/** What a side is asked to do. */
export type Order =
  | { readonly do: "turn"; readonly session: number }
  | { readonly do: "turns"; readonly sessions: number; readonly turns: number }
  | { readonly do: "memory" }
  | { readonly do: "processor" }
  | { readonly do: "kill" };

/** All turns of `turns`, and how long they took together. */
export type Batch = { readonly ms: number; readonly turns: readonly TurnTimes[] };
