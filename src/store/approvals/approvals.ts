import { type Kysely, sql, type Selectable } from "kysely";
import type { Choice, Question } from "../../core/asking.ts";
import type { ApprovalId, SessionId } from "../../core/ids.ts";
import type { Bound, StoredApproval } from "../../core/ledger.ts";
import type { Principal } from "../../core/principal.ts";
import type { Access } from "../access.ts";
import { present } from "../present.ts";
import type { Database, ApprovalRow } from "../schema/database.ts";
import { beginCall } from "../sessions/calls.ts";
import type { ApprovalTable } from "../store.ts";
import { ownerColumns, ownerOf } from "../owner-columns.ts";
import { grantRow, boundText } from "./grants.ts";

export const approvalTable = ({ read, write }: Access): ApprovalTable => ({
  add: (row, owner, call) =>
    write(async (tx) => {
      await tx
        .insertInto("approval")
        .values({ ...approvalRow(row), ...ownerColumns(owner) })
        .execute();
      if (call !== undefined) await beginCall(tx, call, row.askedAt, row.id);
    }),

  resolve: (id, { state, why, by = null, reason = null, at, grant, tell = false }) =>
    write(async (tx) => {
      const decided = await tx
        .updateTable("approval")
        .set({ state, why, decided_by: by, reason, decided_at: at, told: tell ? 0 : 1 })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .executeTakeFirst();
      if (decided.numUpdatedRows === 0n) return false;
      if (grant !== undefined) await tx.insertInto("grant_rule").values(grantRow(grant)).execute();
      return true;
    }),

  postpone: (id, expiresAt) => write((tx) => postpone(tx, id, expiresAt)),

  get: (id) => read((db) => approvalById(db, id)),

  find: async (idPrefix) => (await read((db) => byPrefix(db, idPrefix))).map(approvalOf),

  list: ({ limit, session, state }) =>
    read(async (db) => {
      let found = db.selectFrom("approval").selectAll().orderBy("seq", "desc").limit(limit);
      if (session !== undefined) found = found.where("session", "=", session);
      // A literal: the pending ones have an index of their own.
      if (state !== undefined) found = found.where("state", "=", sql.lit(state));
      return (await found.execute()).map(approvalOf);
    }),

  async askedBefore(session, hash) {
    const row = await read((db) => newestAsked(db, session, hash));
    return row && approvalOf(row);
  },

  waiting: () =>
    read(async (db) => {
      const pending = sql.lit("pending" as const);
      const rows = await db
        .selectFrom("approval")
        .selectAll()
        .where("state", "=", pending)
        .orderBy("seq")
        .execute();
      return rows.map((row) => ({ row: approvalOf(row), owner: ownerOf(row) }));
    }),

  async takeUnreported(session) {
    // Mostly there is none: looking first spares everybody the write lock.
    if ((await read((db) => unreported(db, session))).length === 0) return [];
    return write(async (tx) => {
      const rows = await unreported(tx, session);
      for (const { id } of rows)
        await tx.updateTable("approval").set({ told: 1 }).where("id", "=", id).execute();
      return rows.map(approvalOf);
    });
  },
});

export async function approvalById(
  db: Kysely<Database>,
  id: ApprovalId,
): Promise<StoredApproval | undefined> {
  const row = await db.selectFrom("approval").selectAll().where("id", "=", id).executeTakeFirst();
  return row && approvalOf(row);
}

async function postpone(db: Kysely<Database>, id: ApprovalId, expiresAt: number): Promise<void> {
  const waiting = db.updateTable("approval").where("id", "=", id).where("state", "=", "pending");
  await waiting.set({ expires_at: expiresAt }).execute();
}

const byPrefix = (db: Kysely<Database>, idPrefix: string) =>
  db
    .selectFrom("approval")
    .selectAll()
    .where("id", ">=", idPrefix as ApprovalId)
    .where("id", "<", `${idPrefix}\u{10ffff}` as ApprovalId)
    .orderBy("seq", "desc")
    .limit(10)
    .execute();

const newestAsked = (db: Kysely<Database>, session: SessionId, hash: string) =>
  db
    .selectFrom("approval")
    .selectAll()
    .where("session", "=", session)
    .where("hash", "=", hash)
    // Word for word as the index has it.
    .where(sql<boolean>`state NOT IN ('pending', 'allowed', 'refused')`)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();

const unreported = (db: Kysely<Database>, session: SessionId) =>
  db
    .selectFrom("approval")
    .selectAll()
    .where("session", "=", session)
    .where("told", "=", sql.lit(0))
    .orderBy("seq")
    .execute();

const approvalRow = (row: StoredApproval) => ({
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
  asker: JSON.stringify(row.asker),
  bound: boundText(row.bound),
});

const approvalOf = (row: Selectable<ApprovalRow>): StoredApproval => ({
  id: row.id,
  session: row.session,
  turn: row.turn_id,
  runtime: row.runtime,
  surface: row.surface,
  hash: row.hash,
  asker: JSON.parse(row.asker) as Principal,
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
