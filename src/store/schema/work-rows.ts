import type { Generated } from "kysely";
import type { InboxId, OutcomeId, ScheduleId, SessionId } from "../../core/ids.ts";
import type { Origin, Schedule, StoredOutcome } from "../../core/work/work.ts";

export type WorkRows = {
  readonly schedule: ScheduleRow;
  readonly outcome: OutcomeRow;
  readonly work_spend: WorkSpendRow;
};

/** Of an input. `origin` is filled in by the database, unless it is work that nobody typed. */
export type WorkColumns = {
  readonly origin: Generated<Origin | null>;
  readonly subject: Generated<string | null>;
  readonly due_at: Generated<number | null>;
  readonly attempt: Generated<number>;
  /** WorkTerms */
  readonly terms: Generated<string | null>;
};

export type ScheduleRow = {
  readonly id: ScheduleId;
  readonly name: string;
  /** Timing */
  readonly timing: string;
  /** ScheduledJob */
  readonly job: string;
  readonly state: Schedule["state"];
  readonly why: string | null;
  /** Principal */
  readonly made_by: string;
  readonly made_at: number;
  readonly since: number;
  readonly depth: Schedule["depth"];
  readonly by_model: number;
  readonly revision: number;
};

export type OutcomeRow = {
  readonly seq: Generated<number>;
  readonly id: OutcomeId;
  readonly kind: StoredOutcome["kind"];
  readonly subject: string;
  readonly instant: number;
  readonly state: StoredOutcome["state"];
  readonly reason: string | null;
  readonly late_ms: number;
  readonly inbox: InboxId | null;
  readonly session: SessionId | null;
  readonly at: number;
  readonly settled_at: number | null;
  readonly target: StoredOutcome["target"];
  readonly delivery: StoredOutcome["delivery"];
  readonly receipt: string | null;
};

/** `cost_nano`: billionths of a USD. */
type WorkSpendRow = {
  readonly inbox: InboxId;
  readonly origin: Origin;
  readonly subject: string;
  readonly at: number;
  readonly tokens: number;
  readonly cost_nano: number;
  readonly is_open: number;
};
