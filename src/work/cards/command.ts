import type { BlockKind, CardId, CardRun, CardRunId, RunOutcome } from "../../core/cards/cards.ts";
import type { Mover } from "../../store/schema/card-table.ts";
import type { PlannedWork } from "../../store/schema/work-tables.ts";

/** Who wants something of a card. A worker is whoever holds the claim of one attempt, and speaks in its name alone. */
export type Actor =
  | { readonly is: "person" | "orchestrator"; readonly name: string }
  | { readonly is: "worker"; readonly run: CardRunId }
  | { readonly is: "dispatcher" | "time" };

export type Command =
  | { readonly do: "comment"; readonly text: string }
  | { readonly do: "link" | "unlink"; readonly parent: CardId }
  | { readonly do: "ready" | "unblock" | "archive" | "reopen" }
  | {
      readonly do: "block";
      readonly kind: BlockKind;
      readonly reason: string;
      /** When time lets it go on. Only of a transient one. */
      readonly until?: number;
      /** The card that it waits for from now on. Only of a dependency. */
      readonly parent?: CardId;
      readonly evidence?: CardRun["evidence"];
    }
  | ({ readonly do: "complete"; readonly summary: string } & Pick<CardRun, "evidence">)
  /** The worker ended without saying how it went. */
  | ({ readonly do: "hand_in" } & Pick<CardRun, "summary" | "evidence">)
  | {
      readonly do: "fail";
      readonly outcome: Extract<RunOutcome, "crashed" | "timed_out" | "spawn_failed">;
      readonly error: string;
      readonly evidence?: CardRun["evidence"];
    }
  /** It is put back although nothing went wrong with it: whoever works on it has to end. */
  | { readonly do: "release"; readonly reason: string }
  | {
      readonly do: "claim";
      readonly owner: NonNullable<CardRun["owner"]>;
      readonly ttlMs: number;
      readonly session?: string;
      /** The input of that session, which is admitted with the claim. */
      readonly work?: PlannedWork;
    }
  | { readonly do: "heartbeat"; readonly ttlMs: number }
  /** `gone`: its process is known to have ended, with all that it started. Otherwise only a claim that ran out is taken. */
  | { readonly do: "reclaim"; readonly gone: boolean };

/** Whoever is not named may not. */
export const mayDo: Readonly<Record<Command["do"], readonly Mover[]>> = {
  comment: ["person", "orchestrator", "worker"],
  link: ["person", "orchestrator"],
  unlink: ["person", "orchestrator"],
  ready: ["person"],
  unblock: ["person", "time"],
  archive: ["person"],
  reopen: ["person"],
  block: ["person", "worker"],
  complete: ["person", "worker"],
  hand_in: ["worker"],
  fail: ["worker"],
  release: ["worker"],
  claim: ["dispatcher"],
  heartbeat: ["worker"],
  reclaim: ["dispatcher"],
};

/** Why not. `stale`: somebody else has the card by now, and the worker has to stop. */
export type No = {
  readonly no: "may_not" | "stale" | "state" | "waits" | "cycle" | "early" | "usage";
  readonly message: string;
  readonly next: string;
};
