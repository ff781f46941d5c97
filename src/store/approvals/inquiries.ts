import { type Kysely, type Selectable, sql } from "kysely";
import type { Answers, Form } from "../../core/asking.ts";
import type { InquiryId } from "../../core/ids.ts";
import type { StoredInquiry } from "../../core/ledger.ts";
import type { Access } from "../access.ts";
import type { Database, InquiryRow } from "../schema/database.ts";
import { present } from "../present.ts";
import type { InquiryTable } from "../store.ts";
import { ownerColumns, ownerOf } from "../owner-columns.ts";

export const inquiryTable = ({ read, write }: Access): InquiryTable => ({
  add: (row, owner) =>
    write(async (tx) => {
      await tx
        .insertInto("inquiry")
        .values({ ...inquiryRow(row), ...ownerColumns(owner) })
        .execute();
    }),

  resolve: (id, { state, answers, by = null, at }) =>
    write(async (tx) => {
      const closed = await tx
        .updateTable("inquiry")
        .set({ state, answers: answersText(answers), decided_by: by, decided_at: at })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .executeTakeFirst();
      return closed.numUpdatedRows > 0n;
    }),

  postpone: (id, expiresAt) =>
    write(async (tx) => {
      await tx
        .updateTable("inquiry")
        .set({ expires_at: expiresAt })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .execute();
    }),

  get: (id) => read((db) => inquiryById(db, id)),

  waiting: () =>
    read(async (db) => {
      // A literal: the pending ones have an index of their own.
      const pending = sql.lit("pending" as const);
      const rows = await db
        .selectFrom("inquiry")
        .selectAll()
        .where("state", "=", pending)
        .orderBy("seq")
        .execute();
      return rows.map((row) => ({ row: inquiryOf(row), owner: ownerOf(row) }));
    }),
});

export async function inquiryById(db: Kysely<Database>, id: InquiryId): Promise<StoredInquiry | undefined> {
  const row = await db.selectFrom("inquiry").selectAll().where("id", "=", id).executeTakeFirst();
  return row && inquiryOf(row);
}

const inquiryRow = (row: StoredInquiry) => ({
  id: row.id,
  session: row.session,
  turn_id: row.turn,
  state: row.state,
  decided_by: row.by ?? null,
  asked_at: row.askedAt,
  expires_at: row.expiresAt,
  decided_at: row.decidedAt ?? null,
  answers: answersText(row.answers),
  form: JSON.stringify(row.form),
});

const answersText = (answers: Answers | undefined): string | null =>
  answers === undefined ? null : JSON.stringify(answers);

const inquiryOf = (row: Selectable<InquiryRow>): StoredInquiry => ({
  id: row.id,
  session: row.session,
  turn: row.turn_id,
  form: JSON.parse(row.form) as Form,
  state: row.state,
  askedAt: row.asked_at,
  expiresAt: row.expires_at,
  ...present({
    answers: row.answers === null ? null : (JSON.parse(row.answers) as Answers),
    by: row.decided_by,
    decidedAt: row.decided_at,
  }),
});
