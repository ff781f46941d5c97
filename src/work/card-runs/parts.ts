import type { Agent } from "../../agent/index.ts";
import type { Card, CardDetails, CardId, CardRun, CardRunId } from "../../core/cards/cards.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Owner, Store } from "../../store/store.ts";
import type { GoalDeps } from "../goals/goals.ts";
import type { WorkSettings } from "../runner.ts";
import type { Workspaces } from "./workspaces.ts";

export type CardRunDeps = {
  readonly store: Store;
  readonly agent: Pick<Agent, "start" | "stop" | "endRunning" | "release">;
  /** `workers`: cards that are worked on at once. */
  readonly settings: WorkSettings & { readonly workers: number };
  readonly workspaces: Workspaces;
  /** Runs acceptance checks, in the sandbox. */
  readonly check: GoalDeps["shell"]["check"];
  /** Why the worker of this session could not report what it did; `undefined`: it can. */
  readonly whyMute: (session: SessionId) => Promise<string | undefined>;
  /** Ends whatever processes have left behind that are gone, and what this one has started. */
  readonly endLeft: (owner: Owner) => Promise<void>;
  /** Aborts when nothing more is begun. */
  readonly closing: AbortSignal;
  readonly owner: Owner;
  readonly isGone: (owner: Owner) => boolean;
  readonly clock: Clock;
  readonly log: (line: string) => void;
};

/** An attempt of this process, from its claim to its end. */
export type Attempt = {
  readonly card: CardDetails;
  readonly run: CardRun & { readonly session: SessionId };
};

export const attemptOf = async (
  { cards }: Pick<Store, "cards">,
  run: CardRun | undefined,
): Promise<Attempt | undefined> => {
  const card = run?.session === undefined ? undefined : await cards.details(run.card);
  return card?.run === run?.id && card !== undefined && run?.session !== undefined
    ? { card, run: { ...run, session: run.session as SessionId } }
    : undefined;
};

export type Holding = {
  /** Keeps the claim of an attempt alive until it is let go. */
  hold(attempt: { readonly id: CardRun["id"]; readonly card: CardId; readonly session: SessionId }): void;
  has(run: CardRun["id"]): boolean;
  letGo(run: CardRun["id"]): void;
  held(): readonly CardRun["id"][];
};

/** Who calls the tools of a worker. `isOurs`: its turns are run by us, so that its word can wait for the end of its turn. */
export type Worker = { readonly run: CardRunId; readonly card: Card; readonly isOurs: boolean };
