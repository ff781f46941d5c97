import type { Generated, GeneratedAlways } from "kysely";
import type { Decision } from "../../core/asking.ts";
import type { Outcome } from "../../core/events.ts";
import type {
  ApprovalId,
  GrantId,
  InboxId,
  InquiryId,
  ItemId,
  RevisionId,
  SessionId,
  TurnId,
} from "../../core/ids.ts";
import type { ApprovalRowState, StoredGrant, StoredInquiry } from "../../core/ledger.ts";
import type { Author, Revision, RevisionState, StoredReview, StoredUse } from "../../core/learning.ts";
import type { Message } from "../../core/messages.ts";
import type { Audience, Role } from "../../core/principal.ts";
import type { InputState, SessionMark } from "../../core/session.ts";
import type { StoredUsage } from "../../core/usage.ts";
import type { AccessKeyRow, DeviceRow, OwnNameRow } from "./access-rows.ts";
import type { GatewayTables } from "./gateway-rows.ts";
import type { GoalRow, GoalStepRow } from "./goal-table.ts";
import type { CardTables } from "./card-rows.ts";
import type { McpToolRow } from "./mcp-tool-row.ts";
import type { Duty } from "./lease-tables.ts";
import type { WorkColumns, WorkRows } from "./work-rows.ts";

/**
 * The tables as every engine has them. Times are milliseconds, yes and no are 1 and 0, structured values are JSON text:
 * what all databases can do alike.
 */
export type Database = CardTables &
  GatewayTables &
  WorkRows & {
    readonly meta: { readonly key: string; readonly value: string };
    readonly session: SessionRow;
    readonly inbox: InboxRow;
    readonly turn: TurnRow;
    readonly item: ItemRow;
    readonly message: MessageRow;
    readonly lease: LeaseRow;
    readonly binding: BindingRow;
    readonly process: ProcessRow;
    readonly approval: ApprovalRow;
    readonly inquiry: InquiryRow;
    readonly grant_rule: GrantRow;
    readonly usage: UsageRow;
    readonly compaction: CompactionRow;
    readonly pin: PinRow;
    readonly begun_call: BegunCallRow;
    readonly todo: TodoRow;
    readonly mcp_tool: McpToolRow;
    readonly revision: RevisionRow;
    readonly review: ReviewRow;
    readonly learned_use: LearnedUseRow;
    readonly left_running: LeftRunningRow;
    readonly event: EventRow;
    /** A view: appending to it gives the next number of the session. */
    readonly new_event: Omit<EventRow, "cursor" | "number" | "ref"> & {
      readonly ref: Generated<string | null>;
    };
    readonly access_key: AccessKeyRow;
    readonly device: DeviceRow;
    readonly own_name: OwnNameRow;
    readonly goal: GoalRow;
    readonly goal_step: GoalStepRow;
    readonly snapshot: { readonly session: SessionId; readonly text: string };
  };

export type SessionRow = {
  readonly id: SessionId;
  readonly cwd: string;
  readonly surface: string;
  readonly audience: Audience;
  readonly title: string | null;
  readonly runtime: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  /** The session that began it, for a part of its own work. */
  readonly parent: SessionId | null;
  readonly mark: SessionMark | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** The number of its last event. */
  readonly events: Generated<number>;
};

export type InboxRow = WorkColumns & {
  readonly seq: Generated<number>;
  readonly id: InboxId;
  readonly surface: string;
  readonly account: string;
  readonly chat: string;
  readonly msg_id: string;
  readonly session: SessionId;
  /** InputPart[] */
  readonly body: string;
  readonly received_at: number;
  readonly state: InputState;
  readonly turn_id: TurnId | null;
  /** Only looked at when the input was set aside. */
  readonly told: Generated<number>;
  /** Who it is from. */
  readonly from_surface: string;
  readonly from_id: string;
  readonly from_name: string | null;
  readonly from_role: Role;
  readonly from_local: number;
};

export type TurnRow = {
  readonly seq: Generated<number>;
  readonly id: TurnId;
  readonly session: SessionId;
  readonly inbox_id: InboxId;
  readonly epoch: number;
  readonly runtime: string;
  readonly cwd: string;
  readonly model: string | null;
  /** Json of its runtime */
  readonly side: string | null;
  readonly state: "open" | Outcome;
  /** Fault */
  readonly fault: string | null;
  /** Usage */
  readonly usage: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly told: Generated<number>;
  /** The number of the undo that took it back; they are counted in each session. */
  readonly undone: Generated<number | null>;
};

export type ItemRow = {
  readonly seq: Generated<number>;
  readonly turn_id: TurnId;
  readonly item_id: ItemId;
  /** Item */
  readonly body: string;
  readonly at: number;
};

export type BegunCallRow = {
  readonly seq: Generated<number>;
  readonly turn_id: TurnId;
  readonly item_id: ItemId;
  /** CallHead */
  readonly body: string;
  /** The question whose yes begins it. */
  readonly approval_id: ApprovalId | null;
  readonly at: number;
};

export type MessageRow = {
  readonly seq: Generated<number>;
  readonly session: SessionId;
  readonly turn_id: TurnId;
  readonly item_id: ItemId;
  readonly role: Message["role"];
  readonly at: number;
  /** The words, which is what search reads. */
  readonly content: string;
  /** InputPart[], when there is more than words */
  readonly parts: string | null;
  /** ToolCall[] */
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly reasoning: string | null;
};

export type LeaseName = `session:${SessionId}` | Duty;

/** A released lease has no owner, but keeps its epoch. */
export type LeaseRow = {
  readonly name: LeaseName;
  readonly host: string | null;
  readonly pid: number | null;
  readonly start_time: string | null;
  readonly epoch: number;
  readonly heartbeat: number;
};

/** `host`: on whose disk its thread is; empty: on that of the store, which is a file. `value`: Json */
export type BindingRow = { readonly session: SessionId } & Readonly<
  Record<"host" | "runtime" | "cwd" | "value", string>
>;

export type ProcessRow = OwnerColumns & {
  readonly pid: number;
  readonly start_time: string;
  readonly kind: string;
};

/** `list`: Running[] */
export type LeftRunningRow = OwnerColumns & { readonly session: SessionId; readonly list: string };

/** The process to which a row belongs: it waits for the answer, runs the review, or started the child. */
export type OwnerColumns = {
  readonly owner_host: string;
  readonly owner_pid: number;
  readonly owner_start_time: string;
};

export type ApprovalRow = OwnerColumns & {
  readonly seq: Generated<number>;
  readonly id: ApprovalId;
  readonly session: SessionId;
  readonly turn_id: TurnId;
  readonly runtime: string;
  readonly surface: string;
  readonly hash: string;
  readonly state: ApprovalRowState;
  readonly why: Decision["why"] | null;
  readonly decided_by: string | null;
  readonly asked_at: number;
  readonly expires_at: number;
  readonly decided_at: number | null;
  readonly told: Generated<number>;
  /** Choice[] */
  readonly choices: string;
  /** string[] */
  readonly labels: string;
  readonly reason: string | null;
  /** string[] */
  readonly shown: string;
  /** Question */
  readonly question: string;
  /** Principal */
  readonly asker: string;
  /** Bound */
  readonly bound: string | null;
};

export type InquiryRow = OwnerColumns & {
  readonly seq: Generated<number>;
  readonly id: InquiryId;
  readonly session: SessionId;
  readonly turn_id: TurnId;
  readonly state: StoredInquiry["state"];
  readonly decided_by: string | null;
  readonly asked_at: number;
  readonly expires_at: number;
  readonly decided_at: number | null;
  /** Answers */
  readonly answers: string | null;
  /** Form */
  readonly form: string;
};

export type GrantRow = {
  readonly seq: Generated<number>;
  readonly id: GrantId;
  readonly scope: StoredGrant["scope"];
  readonly session: SessionId | null;
  readonly hash: string;
  readonly summary: string;
  readonly tool: string;
  readonly cwd: string;
  readonly made_by: string;
  readonly made_at: number;
  readonly expires_at: number | null;
  readonly uses_left: number | null;
  readonly revoked_at: number | null;
  /** Bound */
  readonly bound: string | null;
};

/** A row outlives its session and turn. */
export type UsageRow = {
  readonly seq: Generated<number>;
  readonly at: number;
  readonly session: SessionId | null;
  readonly turn_id: TurnId | null;
  readonly cause: StoredUsage["cause"];
  readonly runtime: string;
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  /** Billionths of a USD. */
  readonly cost_nano: number | null;
  /** NULL or 1. */
  readonly uncounted: number | null;
  /** Filled in by the database. */
  readonly role: GeneratedAlways<Role | null>;
};

export type CompactionRow = {
  readonly id: Generated<number>;
  readonly session: SessionId;
  readonly up_to: number;
  readonly seen: number;
  readonly previous: number | null;
  readonly at: number;
  readonly model: string | null;
  readonly focus: string | null;
  /** string[] */
  readonly pinned: string;
  readonly summary: string | null;
};

export type PinRow = { readonly id: Generated<number>; readonly session: SessionId; readonly line: string };

export type TodoRow = {
  readonly seq: Generated<number>;
  readonly session: SessionId;
  readonly turn_id: TurnId;
  /** Todo[] */
  readonly list: string;
};

export type RevisionRow = {
  readonly seq: Generated<number>;
  readonly id: RevisionId;
  readonly at: number;
  readonly kind: Revision["kind"];
  readonly file: string;
  readonly author: Author;
  readonly session: SessionId | null;
  readonly turn_id: TurnId | null;
  readonly trusted: number;
  readonly state: RevisionState;
  readonly why: string | null;
  readonly reverts: RevisionId | null;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly summary: string;
  /** string[] */
  readonly evidence: string;
  /** Json */
  readonly change: string;
  readonly before: string | null;
  readonly after: string | null;
};

export type ReviewRow = OwnerColumns & {
  readonly seq: Generated<number>;
  readonly session: SessionId;
  readonly kind: StoredReview["kind"];
  readonly up_to: TurnId;
  readonly at: number;
  readonly state: StoredReview["state"];
  readonly tokens: Generated<number>;
  readonly result: string | null;
};

export type LearnedUseRow = {
  readonly kind: StoredUse["kind"];
  readonly name: string;
  readonly session: SessionId;
  readonly turn_id: TurnId;
  readonly at: number;
};

/** Only the database itself appends, when a row is written: see the triggers of each engine. */
export type EventRow = {
  readonly cursor: number;
  readonly session: SessionId;
  readonly number: number;
  readonly type: EventType;
  readonly turn_id: TurnId | null;
  /** The item, input or question that it is about. */
  readonly ref: string | null;
  /** Of what no other row has. */
  readonly body: string | null;
  readonly at: number;
};

export type EventType =
  | "began"
  | "changed"
  | "deleted"
  | "compacted"
  | "uncompacted"
  | "started"
  | "steered"
  | "item"
  | "notice"
  | "approval_asked"
  | "approval_closed"
  | "inquiry_asked"
  | "inquiry_closed"
  | "ended"
  | "undone"
  | "redone";
