import { type Kysely, type Transaction, expressionBuilder, sql } from "kysely";
import type { InboxId, SessionId } from "../../core/ids.ts";
import type { Json } from "../../core/json.ts";
import type { InputKey, Session } from "../../core/session.ts";
import { prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { FoundAtStart } from "../schema/opened-turn.ts";
import type { Admission } from "../store.ts";
import { sessionOf } from "./sessions.ts";

/**
 * The session that an input is for, marked as active, with all that its turn starts with, in one statement. `undefined`:
 * there is no such session, a turn is open, or the input is known already, or does not wait any more. Nothing was written then.
 */
export async function sessionAtStart(
  tx: Transaction<Database>,
  id: SessionId,
  { choices = {}, at }: Pick<Admission, "choices" | "at">,
  input: NewInput | WaitingInput,
  defaultRuntime: string,
  machine: string,
): Promise<IdleSession | undefined> {
  const start: Start = {
    session: id,
    at,
    cwd: choices.cwd ?? null,
    runtime: choices.runtime ?? null,
    defaultRuntime,
    machine,
  };
  const { rows } = await ("key" in input
    ? startWithNewInput(tx, { ...start, ...input.key })
    : startWithWaitingInput(tx, { ...start, ...input }));
  const [row] = rows;
  return row && { session: sessionOf(row), found: foundIn(row) };
}

export type IdleSession = { readonly session: Session; readonly found: FoundAtStart };

type NewInput = { readonly key: InputKey };
type WaitingInput = { readonly waiting: InboxId };

type Start = {
  readonly session: SessionId;
  readonly at: number;
  readonly cwd: string | null;
  readonly runtime: string | null;
  readonly defaultRuntime: string;
  readonly machine: string;
};

const started = (db: Kysely<Database>, start: Start) =>
  db
    .updateTable("session")
    .set({ updated_at: start.at })
    .where("id", "=", start.session)
    .where(({ not, exists }) => not(exists(turnsOf(db, start.session).where("state", "=", open))))
    .returningAll()
    .returning(({ exists, selectFrom, fn, val, ref }) => [
      turnsOf(db, start.session).clearSelect().select("side").orderBy("seq", "desc").limit(1).as("side"),
      selectFrom("binding")
        .select("value")
        .where("binding.session", "=", start.session)
        .where("binding.host", "=", start.machine)
        .where("binding.cwd", "=", fn.coalesce(val(start.cwd), ref("session.cwd")))
        .where(
          "binding.runtime",
          "=",
          fn.coalesce(val(start.runtime), ref("session.runtime"), val(start.defaultRuntime)),
        )
        .as("binding"),
      selectFrom("snapshot").select("text").where("snapshot.session", "=", start.session).as("snapshot"),
      hasUntold(db, start.session).as("untold"),
      exists(selectFrom("review").select("review.seq").where("review.session", "=", start.session)).as(
        "reviews",
      ),
      exists(
        selectFrom("outcome")
          .select("outcome.seq")
          .where("delivery", "=", sql.lit("pending" as const)),
      ).as("outcomes"),
      exists(
        selectFrom("revision")
          .select("revision.seq")
          .where("state", "=", sql.lit("active" as const))
          .where((of) => of(of.fn.coalesce("decided_at", "at"), ">=", of.ref("session.created_at"))),
      ).as("revisions"),
    ]);

const startWithWaitingInput = prepared((db, start: Start & WaitingInput) =>
  started(db, start).where(({ exists }) =>
    exists(
      db
        .selectFrom("inbox")
        .select("inbox.id")
        .where("inbox.id", "=", start.waiting)
        .where("inbox.session", "=", start.session)
        .where("inbox.state", "=", sql.lit("waiting" as const)),
    ),
  ),
);

const startWithNewInput = prepared((db, start: Start & InputKey) =>
  started(db, start).where(({ not, exists }) => not(exists(sameInput(db, start)))),
);

type Found = Readonly<Record<"untold" | "reviews" | "outcomes" | "revisions", unknown>> &
  Readonly<Record<"side" | "binding" | "snapshot", string | null>> & { readonly events: number };

const foundIn = ({
  events,
  untold,
  reviews,
  outcomes,
  revisions,
  side,
  binding,
  snapshot,
}: Found): FoundAtStart => ({
  events,
  hasUntold: Boolean(untold),
  hasReviews: Boolean(reviews),
  hasOutcomes: Boolean(outcomes),
  hasRevisions: Boolean(revisions),
  previous: side === null ? {} : { side: JSON.parse(side) as Json },
  ...present({ snapshot, binding: binding === null ? null : (JSON.parse(binding) as Json) }),
});

const sameInput = (tx: Kysely<Database>, key: InputKey) =>
  tx
    .selectFrom("inbox")
    .select("inbox.id")
    .where("inbox.surface", "=", key.surface)
    .where("account", "=", key.account)
    .where("chat", "=", key.chat)
    .where("msg_id", "=", key.messageId);

const turnsOf = (tx: Kysely<Database>, id: SessionId) =>
  tx.selectFrom("turn").select("turn.id").where("turn.session", "=", id);

/** Turns, inputs, questions and ends of goals that nobody was told of, and what was left running. */
function hasUntold(tx: Kysely<Database>, id: SessionId) {
  const { exists, or } = expressionBuilder<Database, never>();
  const inputs = tx.selectFrom("inbox").select("inbox.id").where("inbox.session", "=", id);
  const questions = tx.selectFrom("approval").select("approval.id").where("approval.session", "=", id);
  return or([
    exists(turnsOf(tx, id).where("told", "=", untold)),
    exists(inputs.where("state", "=", sql.lit("kept" as const)).where("told", "=", untold)),
    exists(questions.where("told", "=", untold)),
    exists(tx.selectFrom("goal").select("goal.id").where("goal.session", "=", id).where("told", "=", untold)),
    exists(tx.selectFrom("left_running").select("list").where("left_running.session", "=", id)),
  ]);
}

/** Literals, so that the indexes of just these rows are used, and SQLite does not look at the value and plan anew each time. */
const open = sql.lit("open" as const);
const untold = sql.lit(0);
