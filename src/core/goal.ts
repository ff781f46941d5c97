import type { GoalId, SessionId, TurnId } from "./ids.ts";
import { short } from "./plain-text.ts";
import type { Principal } from "./principal.ts";
import type { StartedSession } from "./session.ts";
import type { Limit } from "./spend.ts";

export const goalStates = ["active", "paused", "done", "cleared"] as const;
export type GoalState = (typeof goalStates)[number];

/** What a session works on, turn after turn, until it is shown to be reached. */
export type Goal = {
  readonly id: GoalId;
  readonly session: SessionId;
  readonly text: string;
  /** What has to be reached on the way. */
  readonly subgoals: readonly string[];
  /** Says by its exit code whether the goal is reached. Its owner has allowed exactly this, and it never changes. */
  readonly check?: GoalCheck;
  readonly state: GoalState;
  /** Why it is paused, or what showed that it is done. */
  readonly why?: string;
  readonly limit: GoalLimit;
  /** What the session had used when it began. */
  readonly before: Required<Limit>;
  readonly by: Principal;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type GoalCheck = { readonly command: string; readonly cwd: string };

/** `session`: one that is there, or one that begins with it. */
export type NewGoal = {
  readonly session: SessionId | StartedSession;
  readonly text: string;
  readonly check?: string;
  readonly limit?: Partial<GoalLimit>;
};

/** A price that nobody knows counts in tokens. */
export type GoalLimit = Limit & { readonly turns: number };

/** What was found after one turn. */
export type GoalStep = {
  readonly goal: GoalId;
  readonly number: number;
  readonly turn: TurnId;
  readonly by: "check" | "judge" | "turn";
  readonly verdict: "done" | "go_on" | "failed";
  /** What is missing, or why it could not be said. */
  readonly text: string;
  readonly exitCode?: number;
  readonly at: number;
};

export type GoalReport = Goal & {
  readonly steps: readonly GoalStep[];
  readonly spent: Required<Limit>;
};

/** Still to be reached. */
export const isOpenGoal = ({ state }: Pick<Goal, "state">): boolean =>
  state === "active" || state === "paused";

/** How it stands, in one line. */
export function goalText({ state, text, why = "" }: Pick<Goal, "state" | "text" | "why">): string {
  const said = `${stateTexts[state]}: ${short(text, 80)}`;
  const rest = why === "" ? "" : `. ${short(why, 300)}`;
  return state === "paused" ? `${said}${rest} (/goal resume goes on, /goal clear ends it)` : `${said}${rest}`;
}

const stateTexts: Readonly<Record<GoalState, string>> = {
  active: "Goal",
  paused: "Goal paused",
  done: "Goal reached",
  cleared: "Goal cleared",
};

/** What its owner has allowed to be run without asking again. */
export type AllowedCommand = {
  readonly command: string;
  readonly cwd: string;
  readonly session: SessionId;
};
export type CheckResult =
  | { readonly exitCode: number; readonly output: string }
  | { readonly refused: string };
