import type { Selectable } from "kysely";
import type { Choice, Question } from "../core/asking.ts";
import type { Bound, StoredApproval } from "../core/ledger.ts";
import type { ApprovalRow } from "./database.ts";
import { boundText } from "./grants.ts";
import { present } from "./present.ts";

export const approvalRow = (row: StoredApproval) => ({
  id: row.id,
  session: row.session,
  turn_id: row.turn,
  runtime: row.runtime,
  surface: row.surface,
  hash: row.hash,
  state: row.state,
  why: row.why ?? null,
  decided_by: row.by ?? null,
  asked_at: row.askedAt,
  expires_at: row.expiresAt,
  decided_at: row.decidedAt ?? null,
  choices: JSON.stringify(row.choices),
  labels: JSON.stringify(row.labels),
  reason: row.reason ?? null,
  shown: JSON.stringify(row.shown),
  question: JSON.stringify(row.question),
  bound: boundText(row.bound),
});

export const approvalOf = (row: Selectable<ApprovalRow>): StoredApproval => ({
  id: row.id,
  session: row.session,
  turn: row.turn_id,
  runtime: row.runtime,
  surface: row.surface,
  hash: row.hash,
  question: JSON.parse(row.question) as Question,
  shown: JSON.parse(row.shown) as readonly string[],
  choices: JSON.parse(row.choices) as readonly Choice[],
  labels: JSON.parse(row.labels) as readonly string[],
  state: row.state,
  askedAt: row.asked_at,
  expiresAt: row.expires_at,
  ...present({ why: row.why, by: row.decided_by, reason: row.reason, decidedAt: row.decided_at }),
  ...present({ bound: row.bound === null ? null : (JSON.parse(row.bound) as Bound) }),
});
