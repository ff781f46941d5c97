import type { Selectable } from "kysely";
import type { StoredReview } from "../../core/learning.ts";
import type { Access } from "../access.ts";
import type { ReviewRow } from "../schema/database.ts";
import { prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { ReviewTable } from "../schema/learning-tables.ts";
import { ownerColumns, ownerOf } from "../owner-columns.ts";

/** More than ever decide whether one is due. */
const mostListed = 40;

const newestReviews = prepared((db, { session }: Pick<ReviewRow, "session">) =>
  db.selectFrom("review").selectAll().where("session", "=", session).orderBy("seq", "desc").limit(mostListed),
);

export const reviewTable = ({ read, write }: Access): ReviewTable => ({
  begin: (review, owner) =>
    write(async (tx) => {
      const { seq } = await tx
        .insertInto("review")
        .values({
          session: review.session,
          kind: review.kind,
          up_to: review.upTo,
          at: review.at,
          state: "running",
          result: null,
          ...ownerColumns(owner),
        })
        .returning("seq")
        .executeTakeFirstOrThrow();
      return seq;
    }),

  end: (id, { state, tokens, result = null }) =>
    write(async (tx) => {
      await tx
        .updateTable("review")
        .set({ state, tokens, result })
        .where("seq", "=", id)
        .where("state", "=", "running")
        .execute();
    }),

  list: (session) =>
    read(async (db) => {
      const { rows } = await newestReviews(db, { session });
      return rows.toReversed().map((row) => ({ ...reviewOf(row), owner: ownerOf(row) }));
    }),

  forget: (matches) =>
    write(async (tx) => {
      const rows = await tx.selectFrom("review").select(["seq", "result"]).execute();
      for (const { seq, result } of rows) {
        if (result === null || !matches(result)) continue;
        await tx.updateTable("review").set({ result: null }).where("seq", "=", seq).execute();
      }
    }),
});

const reviewOf = (row: Selectable<ReviewRow>): StoredReview => ({
  session: row.session,
  kind: row.kind,
  upTo: row.up_to,
  at: row.at,
  state: row.state,
  tokens: row.tokens,
  ...present({ result: row.result }),
});
