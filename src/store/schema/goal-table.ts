import type { Generated } from "kysely";
import type { Goal, GoalState, GoalStep } from "../../core/goal.ts";
import type { GoalId, SessionId, TurnId } from "../../core/ids.ts";

export type GoalRow = {
  readonly id: GoalId;
  readonly session: SessionId;
  readonly text: string;
  /** string[] */
  readonly subgoals: string;
  readonly check_command: string | null;
  readonly check_cwd: string | null;
  readonly state: GoalState;
  readonly why: string | null;
  /** Whether the person knows how it stands. */
  readonly told: Generated<number>;
  /** GoalLimit */
  readonly limits: string;
  /** Required<Limit> */
  readonly spent_before: string;
  /** Principal */
  readonly made_by: string;
  readonly created_at: number;
  readonly updated_at: number;
};

export type GoalStepRow = {
  readonly goal: GoalId;
  readonly number: number;
  readonly turn_id: TurnId;
  readonly found_by: GoalStep["by"];
  readonly verdict: GoalStep["verdict"];
  readonly text: string;
  readonly exit_code: number | null;
  readonly at: number;
};

/** `untold`: nobody has asked for it, so the person has to be told. */
export type GoalChange = Partial<Pick<Goal, "state" | "why" | "subgoals" | "limit">> & {
  readonly untold?: true;
};

export interface GoalTable {
  /** False: the session has one that is open. */
  add(goal: Goal): Promise<boolean>;
  /** The newest of this session. */
  of(session: SessionId): Promise<Goal | undefined>;
  /** Those whose id begins like this, newest first, at most 10. */
  find(idPrefix: string): Promise<readonly Goal[]>;
  /** In all sessions. */
  active(): Promise<readonly Goal[]>;
  /** Of one that is open; without `why` the reason goes. `undefined`: it is over. */
  change(goal: GoalId, change: GoalChange, at: number): Promise<Goal | undefined>;
  /** Keeps what was found after a turn, and what comes of it, once. False: the turn was looked at before, or the goal is not active. */
  keep(step: Omit<GoalStep, "number">, change: GoalChange): Promise<boolean>;
  /** The person has heard how it stands. */
  told(goal: GoalId): Promise<void>;
  /** What the person has not been told of; it counts as told when this resolves. */
  takeUnreported(session: SessionId): Promise<readonly Goal[]>;
  /** In order. */
  steps(goal: GoalId): Promise<readonly GoalStep[]>;
}
