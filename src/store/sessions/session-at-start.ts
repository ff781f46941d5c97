import { type Transaction, expressionBuilder, sql } from "kysely";
import type { SessionId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { InputKey, Session } from "../../core/session.ts";
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
  machine: string,
): Promise<{ readonly session: Session; readonly found: FoundAtStart } | undefined> {
  const row = await tx
    .updateTable("session")
    .set({ updated_at: at })
    .where("id", "=", id)
    .where(({ not, exists }) => not(exists(sameInput(tx, key))))
    .where(({ not, exists }) => not(exists(turnsOf(tx, id).where("state", "=", open))))
    .returningAll()
    .returning(({ exists, selectFrom, fn, val, ref }) => [
      turnsOf(tx, id).clearSelect().select("side").orderBy("seq", "desc").limit(1).as("side"),
      selectFrom("binding")
        .select("value")
        .where("binding.session", "=", id)
        .where("binding.host", "=", machine)
        .where("binding.cwd", "=", fn.coalesce(val(choices.cwd ?? null), ref("session.cwd")))
        .where(
          "binding.runtime",
          "=",
          fn.coalesce(val(choices.runtime ?? null), ref("session.runtime"), val(defaultRuntime)),
        )
        .as("binding"),
      selectFrom("snapshot").select("text").where("snapshot.session", "=", id).as("snapshot"),
      hasUntold(tx, id).as("untold"),
      exists(selectFrom("review").select("review.seq").where("review.session", "=", id)).as("reviews"),
      exists(
        selectFrom("revision")
          .select("revision.seq")
          .where("state", "=", "active")
          .where((of) => of(of.fn.coalesce("decided_at", "at"), ">=", of.ref("session.created_at"))),
      ).as("revisions"),
    ])
    .executeTakeFirst();
  return row && { session: sessionOf(row), found: foundIn(row) };
}

type Found = Readonly<Record<"untold" | "reviews" | "revisions", unknown>> &
  Readonly<Record<"side" | "binding" | "snapshot", string | null>>;

const foundIn = ({ untold, reviews, revisions, side, binding, snapshot }: Found): FoundAtStart => ({
  hasUntold: Boolean(untold),
  hasReviews: Boolean(reviews),
  hasRevisions: Boolean(revisions),
  previous: side === null ? {} : { side: JSON.parse(side) as Json },
  ...present({ snapshot, binding: binding === null ? null : (JSON.parse(binding) as Json) }),
});

const sameInput = (tx: Transaction<Database>, key: InputKey) =>
  tx
    .selectFrom("inbox")
    .select("inbox.id")
    .where("inbox.surface", "=", key.surface)
    .where("account", "=", key.account)
    .where("chat", "=", key.chat)
    .where("msg_id", "=", key.messageId);

const turnsOf = (tx: Transaction<Database>, id: SessionId) =>
  tx.selectFrom("turn").select("turn.id").where("turn.session", "=", id);

/** Turns, inputs and questions that nobody was told of, and what was left running. */
function hasUntold(tx: Transaction<Database>, id: SessionId) {
  const { exists, or } = expressionBuilder<Database, never>();
  const inputs = tx.selectFrom("inbox").select("inbox.id").where("inbox.session", "=", id);
  const questions = tx.selectFrom("approval").select("approval.id").where("approval.session", "=", id);
  return or([
    exists(turnsOf(tx, id).where("told", "=", untold)),
    exists(inputs.where("state", "=", "kept").where("told", "=", 0)),
    exists(questions.where("told", "=", untold)),
    exists(tx.selectFrom("left_running").select("list").where("left_running.session", "=", id)),
  ]);
}

/** Literals, so that the indexes of just these rows are used. */
const open = sql.lit("open" as const);
const untold = sql.lit(0);
