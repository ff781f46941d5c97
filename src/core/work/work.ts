import { type Platform, isPlatform } from "../gateway/chat.ts";
import type { InboxId, OutcomeId, ScheduleId, SessionId } from "../ids.ts";
import type { Bound } from "../ledger.ts";
import type { Principal } from "../principal.ts";
import type { Limit } from "../spend.ts";
import type { BudgetState } from "../usage.ts";

/** Why an input is there. Of the first two somebody has written it just now. */
export const origins = [
  "typed",
  "chat",
  "schedule",
  "card",
  "goal",
  "review",
  "delegate",
  "webhook",
  "batch",
  "api",
] as const;
export type Origin = (typeof origins)[number];

/**
 * Where answers and failures of work go. local: the owner's next terminal, or their chat if that is there sooner · notify: their chat alone ·
 * else a chat of a bot, such as telegram:12345
 */
export const targets = ["local", "notify"] as const;
export type Target = (typeof targets)[number] | `${Platform}:${string}`;

export function isTarget(text: string): text is Target {
  const [surface = "", chat = ""] = text.split(":");
  if (targets.some((target) => target === text)) return true;
  return (
    isPlatform(surface) &&
    /^[-A-Za-z0-9_]+(?:\/[-A-Za-z0-9_.]+)?$/.test(chat) &&
    text === `${surface}:${chat}`
  );
}

/** A command that work may run although nobody can be asked, while the files that it means are what they were. */
export type GrantedCommand = { readonly command: string; readonly bound?: Bound };

/** What holds for a piece of work from when it is admitted: no later message changes it. */
export type WorkTerms = {
  readonly target: Target;
  /** Of what did not go well; as `target` when unset. */
  readonly failures?: Target;
  readonly budget?: Limit;
  /** Of all work with the same subject together. */
  readonly total?: Limit;
};

/** What an input has beside others, when nobody has typed it: it waits until it is due, and for the dispatcher. */
export type DueWork = {
  readonly origin: Origin;
  /** What it is a part of, such as a schedule. */
  readonly subject: string;
  readonly dueAt: number;
  /** The first is 1. */
  readonly attempt: number;
  readonly terms: WorkTerms;
};

/** When a schedule is due. All instants follow from it; none is stored before it is due. */
export type Timing =
  | { readonly kind: "once"; readonly at: number }
  /** The first is one interval after `from`. */
  | { readonly kind: "every"; readonly ms: number; readonly from: number }
  | { readonly kind: "cron"; readonly expression: string; readonly zone: string };

/** What becomes of instants at which nothing ran. once: the last of them is made up for · ask: the owner is told */
export const catchUps = ["once", "skip", "ask"] as const;
export type CatchUp = (typeof catchUps)[number];

/** What becomes of an instant while the run before it goes on. */
export const overlaps = ["skip", "queue"] as const;
export type Overlap = (typeof overlaps)[number];

/** A command that is run in the sandbox in place of a model, while its file is what it was when its owner allowed it. */
export type ScheduledScript = {
  readonly command: string;
  readonly file?: { readonly path: string; readonly hash: string };
};

/** What a schedule does. Folder, runtime and model are those of when it was made. */
export type ScheduledJob = WorkTerms & {
  readonly text: string;
  readonly cwd: string;
  readonly runtime: string;
  readonly model?: string;
  /** Instead of `text`. */
  readonly script?: ScheduledScript;
  /** What they say stands before the text of each run, as it is then. */
  readonly skills?: readonly string[];
  readonly allow: readonly GrantedCommand[];
  /** So many schedules may each run make or change without a question. */
  readonly maySchedule?: number;
  readonly catchUp: CatchUp;
  readonly overlap: Overlap;
  /** It begins up to so much later, at an instant's own time. */
  readonly jitterMs: number;
};

export type Schedule = {
  readonly id: ScheduleId;
  readonly name: string;
  readonly timing: Timing;
  readonly job: ScheduledJob;
  readonly state: "active" | "paused" | "removed";
  /** Why it is paused. */
  readonly why?: string;
  /** Who made it: it has their rights, and no more. */
  readonly by: Principal;
  readonly madeAt: number;
  /** Instants before are none of its own: it was made, changed or resumed then. */
  readonly since: number;
  /** 1: made by a person or in a turn of theirs · 2: made by a turn of a schedule. */
  readonly depth: 1 | 2;
  /** A model has made it, with the owner's yes. */
  readonly byModel: boolean;
  /** Counts its changes. */
  readonly revision: number;
};

export type ScheduleChange = Partial<Pick<Schedule, "name" | "timing" | "job" | "state" | "since">> & {
  /** `null`: there is no reason any more. */
  readonly why?: string | null;
};

/** A schedule as people see it. `next`: derived, at most three. */
export type ListedSchedule = Schedule & { readonly next: readonly number[]; readonly last?: StoredOutcome };

/** planned: it is to be done, or is being · the rest is how it ended */
export type OutcomeState = "planned" | "ran" | "skipped" | "missed" | "refused" | "failed";

/** none: there is nothing to tell · silent: it asked for that */
export type DeliveryState = "none" | "pending" | "delivered" | "silent" | "failed";

/** What was expected at an instant, and what became of it: there is one for each. */
export type StoredOutcome = {
  readonly id: OutcomeId;
  /**
   * schedule: an instant of it · manual: `cron run` · alert: something the owner is told once · goal, review, delegate: what
   * came of one, or why it was not begun
   */
  readonly kind: "schedule" | "manual" | "alert" | "goal" | "review" | "delegate";
  readonly subject: string;
  readonly instant: number;
  readonly state: OutcomeState;
  readonly reason?: string;
  readonly lateMs: number;
  readonly inbox?: InboxId;
  readonly session?: SessionId;
  readonly at: number;
  readonly settledAt?: number;
  readonly target: Target;
  readonly delivery: DeliveryState;
  /** How it is known that it arrived. */
  readonly receipt?: string;
};

/** An occurrence as `cron runs --json` gives it. */
export type Occurrence = {
  readonly id: OutcomeId;
  readonly job: ScheduleId;
  readonly name: string;
  /** ISO 8601. */
  readonly due: string;
  readonly state: OutcomeState;
  readonly reason?: string;
  readonly late_ms: number;
  readonly delivery: DeliveryState;
  readonly session?: SessionId;
};

/** Does anything run what is due? */
export type Runner = "running" | "none";

/** Everything that nobody typed stands still. */
export type WorkPause = { readonly at: number; readonly by: string };

/** What a person or a model says of one they want. What they leave out is as it is where they are. */
export type NewSchedule = {
  readonly when: string;
  readonly text: string;
  readonly name?: string;
  readonly cwd?: string;
  readonly runtime?: string;
  readonly model?: string;
  readonly budget?: Limit;
  readonly deliver?: Target;
  readonly failures?: Target;
  readonly zone?: string;
  readonly catchUp?: CatchUp;
  readonly overlap?: Overlap;
  /** Such as 10m. */
  readonly jitter?: string;
  /** Commands that it may run without a question, once in each run. At this machine alone, as `script` and `maySchedule`. */
  readonly allow?: readonly string[];
  /** A file, or a command: it is run in the sandbox without a model, and its output is the answer. */
  readonly script?: string;
  readonly skills?: readonly string[];
  /** Also runs once now. */
  readonly tryNow?: boolean;
  /** So many schedules may each run make or change without a question. */
  readonly maySchedule?: number;
};

/** `tried`: its first run, which is to begin at once, or waits while all work is `paused`. */
export type MadeSchedule = ListedSchedule & {
  readonly runner: Runner;
  readonly tried?: OutcomeId;
  readonly paused?: WorkPause;
};

/** `planned`: runs that wait or are under way. */
export type WorkStatus = {
  readonly paused?: WorkPause;
  readonly runner: Runner;
  readonly planned: number;
  readonly budgets: readonly BudgetState[];
  /** Why those in USD limit nothing. */
  readonly unpriced?: string;
};

/** A run that a person has asked for. `paused`: it waits until work goes on. */
export type AskedRun = { readonly run: Occurrence; readonly runner: Runner; readonly paused?: WorkPause };

/** What became of something, why, and what to do about it. */
export type Explanation = {
  readonly id: string;
  /** What it is, for people. */
  readonly what: string;
  readonly state: string;
  readonly why: string;
  readonly next: string;
  /** Of a message in a chat: the steps that it has taken, one line each. */
  readonly trail?: readonly string[];
};
