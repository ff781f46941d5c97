import { type Transaction, sql } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { Session } from "../../core/session.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { FoundAtStart } from "../schema/opened-turn.ts";
import type { Admission } from "../store.ts";
import { sessionOf } from "./sessions.ts";

/**
 * The session that an input is for, marked as active, with all that its turn starts with, in one statement. `undefined`:
 * there is no such session, the input is known already, or a turn is open, and nothing was written.
 */
export async function sessionAtStart(
  tx: Transaction<Database>,
  id: SessionId,
  { key, choices = {}, at }: Admission,
  defaultRuntime: string,
): Promise<{ readonly session: Session; readonly found: FoundAtStart } | undefined> {
  const row = await tx
    .updateTable("session")
    .set({ updated_at: at })
    .where("id", "=", id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("inbox")
            .select("inbox.id")
            .where("inbox.surface", "=", key.surface)
            .where("account", "=", key.account)
            .where("chat", "=", key.chat)
            .where("msg_id", "=", key.messageId),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom("turn").select("turn.id").where("turn.session", "=", id).where("state", "=", open)),
      ),
    )
    .returningAll()
    .returning(({ exists, selectFrom, or, fn, val, ref }) => [
      selectFrom("turn")
        .select("side")
        .where("turn.session", "=", id)
        .orderBy("seq", "desc")
        .limit(1)
        .as("side"),
      selectFrom("binding")
        .select("value")
        .where("binding.session", "=", id)
        .where(
          "binding.runtime",
          "=",
          fn.coalesce(val(choices.runtime ?? null), ref("session.runtime"), val(defaultRuntime)),
        )
        .where("binding.cwd", "=", fn.coalesce(val(choices.cwd ?? null), ref("session.cwd")))
        .as("binding"),
      selectFrom("snapshot").select("text").where("snapshot.session", "=", id).as("snapshot"),
      or([
        exists(
          selectFrom("turn").select("turn.id").where("turn.session", "=", id).where("told", "=", untold),
        ),
        exists(
          selectFrom("inbox")
            .select("inbox.id")
            .where("inbox.session", "=", id)
            .where("state", "=", "kept")
            .where("told", "=", 0),
        ),
        exists(
          selectFrom("approval")
            .select("approval.id")
            .where("approval.session", "=", id)
            .where("told", "=", untold),
        ),
        exists(selectFrom("left_running").select("list").where("left_running.session", "=", id)),
      ]).as("untold"),
      exists(selectFrom("review").select("review.seq").where("review.session", "=", id)).as("reviews"),
      exists(
        selectFrom("revision")
          .select("revision.seq")
          .where("state", "=", "active")
          .where((of) => of(of.fn.coalesce("decided_at", "at"), ">=", of.ref("session.created_at"))),
      ).as("revisions"),
    ])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found: FoundAtStart = {
    hasUntold: Boolean(row.untold),
    hasReviews: Boolean(row.reviews),
    hasRevisions: Boolean(row.revisions),
    previous: row.side === null ? {} : { side: JSON.parse(row.side) as Json },
    ...present({
      snapshot: row.snapshot,
      binding: row.binding === null ? null : (JSON.parse(row.binding) as Json),
    }),
  };
  return { session: sessionOf(row), found };
}

/** Literals, so that the indexes of just these rows are used. */
const open = sql.lit("open" as const);
const untold = sql.lit(0);
