import { type Insertable, type Kysely, type Selectable, type Transaction, sql } from "kysely";
import type { InboxId, OutcomeId, ScheduleId } from "../../core/ids.ts";
import type { StoredOutcome } from "../../core/work/work.ts";
import type { Access } from "../access.ts";
import { grantRow } from "../approvals/grants.ts";
import { requireLease } from "../leases.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { OutcomeRow } from "../schema/work-rows.ts";
import type { NewOutcome, OutcomeTable, PlannedWork } from "../schema/work-tables.ts";
import { newOutboxRow, outboxOf } from "../gateway/stored-outbox.ts";
import { admitInput } from "../sessions/inbox.ts";
import { dropUnbegun, settleSpend } from "./work-spend.ts";

export const outcomeTable = (access: Access): OutcomeTable => ({
  ...writers(access),
  ...tellers(access),
  ...readers(access),
});

type Writers = "plan" | "note" | "settle" | "again";
type Tellers = "takeUntold" | "told" | "handOver";

const writers = ({ write, held }: Access): Pick<OutcomeTable, Writers> => ({
  plan({ schedule, lease }, rows) {
    const work = async (tx: Transaction<Database>): Promise<readonly OutcomeId[] | undefined> => {
      if (lease !== undefined) await requireLease(tx, lease);
      // Locks its row: nobody pauses or changes it while its instants are written down.
      const current = await tx
        .updateTable("schedule")
        .set((is) => ({ revision: is.ref("revision") }))
        .where("id", "=", schedule.id)
        .where("revision", "=", schedule.revision)
        .where("state", "!=", "removed")
        .executeTakeFirst();
      if (current.numUpdatedRows === 0n) return undefined;
      const made = await insertWorkless(
        tx,
        rows.filter((row) => row.work === undefined),
      );
      for (const row of rows) if (row.work !== undefined && (await insertOutcome(tx, row))) made.push(row.id);
      return made;
    };
    return lease === undefined ? write(work) : held(lease, work);
  },

  note: (row) => write((tx) => insertOutcome(tx, row)),

  settle: (id, inbox, { state, reason = null, delivery, at }) =>
    write(async (tx) => {
      const settled = await current(tx, id, inbox)
        .set({ state, reason, delivery, settled_at: at })
        .executeTakeFirst();
      if (settled.numUpdatedRows === 0n) return false;
      if (inbox === undefined) return true;
      await settleSpend(tx, inbox);
      if (await dropUnbegun(tx, inbox))
        await tx.updateTable("outcome").set({ inbox: null, session: null }).where("id", "=", id).execute();
      return true;
    }),

  again: (id, inbox, work) =>
    write(async (tx) => {
      const { id: next, session } = work.admission;
      const moved = await current(tx, id, inbox)
        .set({ inbox: next, session: typeof session === "string" ? session : session.id })
        .executeTakeFirst();
      if (moved.numUpdatedRows === 0n) return false;
      await settleSpend(tx, inbox);
      await insertWork(tx, work);
      return true;
    }),
});

/** To a terminal, or to a chat: whoever is first. */
const tellers = ({ read, write }: Access): Pick<OutcomeTable, Tellers> => ({
  async takeUntold(turn) {
    // Mostly there is none: looking first spares everybody the write lock.
    if ((await read((db) => untold(db))).length === 0) return [];
    return write(async (tx) => {
      const rows = await untold(tx);
      for (const { id } of rows)
        await tx.updateTable("outcome").set({ receipt: turn }).where("id", "=", id).execute();
      return rows.map(outcomeOf);
    });
  },

  told: (turn) =>
    write(async (tx) => {
      await tx
        .updateTable("outcome")
        .set({ delivery: "delivered" })
        .where("delivery", "=", pending)
        .where("receipt", "=", turn)
        .execute();
    }),

  handOver: (ids, row, at) =>
    write(async (tx) => {
      const values = newOutboxRow({ about: ids[0] ?? "", ...row }, at);
      const found = await chatUntold(tx)
        .where("id", "in", [...ids])
        .execute();
      if (found.length !== ids.length || found.length === 0) return undefined;
      await tx
        .updateTable("outcome")
        .set({ delivery: "delivered", receipt: values.id })
        .where("id", "in", [...ids])
        .execute();
      const added = await tx.insertInto("outbox").values(values).returningAll().executeTakeFirstOrThrow();
      return outboxOf(added);
    }),
});

const current = (tx: Transaction<Database>, id: OutcomeId, inbox: InboxId | undefined) =>
  tx
    .updateTable("outcome")
    .where("id", "=", id)
    .where("state", "=", "planned")
    .where((is) => (inbox === undefined ? is("inbox", "is", null) : is("inbox", "=", inbox)));

export async function insertOutcome(
  tx: Transaction<Database>,
  { work, ...row }: NewOutcome,
): Promise<boolean> {
  const session = work?.admission.session;
  const inserted = await tx
    .insertInto("outcome")
    .values({
      ...rowOf(row),
      inbox: work?.admission.id ?? null,
      session: typeof session === "object" ? session.id : (session ?? null),
    })
    .onConflict((conflict) => conflict.columns(["kind", "subject", "instant"]).doNothing())
    .executeTakeFirst();
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
  if (work !== undefined) await insertWork(tx, work);
  return true;
}

/** Of a time in which nobody was there: all of them in one statement. Gives those that had no row. */
async function insertWorkless(tx: Transaction<Database>, rows: readonly NewOutcome[]): Promise<OutcomeId[]> {
  if (rows.length === 0) return [];
  const inserted = await tx
    .insertInto("outcome")
    .values(rows.map(({ work: _none, ...row }) => ({ ...rowOf(row), inbox: null, session: null })))
    .onConflict((conflict) => conflict.columns(["kind", "subject", "instant"]).doNothing())
    .returning("id")
    .execute();
  return inserted.map(({ id }) => id);
}

/** The input, and what its session may do without a question. */
export async function insertWork(
  tx: Transaction<Database>,
  { admission, grants }: PlannedWork,
): Promise<void> {
  await admitInput(tx, admission);
  for (const grant of grants) await tx.insertInto("grant_rule").values(grantRow(grant)).execute();
}

type Readers = Exclude<keyof OutcomeTable, Writers | Tellers>;

const readers = ({ read }: Access): Pick<OutcomeTable, Readers> => ({
  lastInstant: (schedule: ScheduleId) =>
    read(async (db) => {
      const of = db.selectFrom("outcome").select("instant").where("subject", "=", schedule);
      const last = of.where("kind", "=", "schedule").orderBy("instant", "desc").limit(1);
      return (await last.executeTakeFirst())?.instant;
    }),

  lastInstants: () =>
    read(async (db) => {
      // One look at an index for each schedule, however many rows there are.
      const rows = await db
        .selectFrom("schedule")
        .select((of) => [
          "id",
          of
            .selectFrom("outcome")
            .select("outcome.instant")
            .whereRef("outcome.subject", "=", "schedule.id")
            .where("outcome.kind", "=", "schedule")
            .orderBy("outcome.instant", "desc")
            .limit(1)
            .as("instant"),
        ])
        .execute();
      return new Map(rows.flatMap(({ id, instant }) => (instant === null ? [] : [[id, instant] as const])));
    }),

  get: (id) => one(read, (db) => all(db).where("id", "=", id)),
  ofSession: (session) => one(read, (db) => all(db).where("session", "=", session)),
  ofInput: (inbox) => one(read, (db) => all(db).where("inbox", "=", inbox)),

  find: (idPrefix) =>
    read(async (db) => {
      const from = all(db).where("id", ">=", idPrefix as OutcomeId);
      const rows = from.where("id", "<", `${idPrefix}\u{10ffff}` as OutcomeId).orderBy("seq", "desc");
      return (await rows.limit(10).execute()).map(outcomeOf);
    }),

  list: ({ limit, subject }) =>
    read(async (db) => {
      const rows = all(db);
      const wanted =
        subject === undefined
          ? rows.where("kind", "in", ["schedule", "manual"])
          : rows.where("subject", "=", subject);
      const newest = wanted.orderBy("instant", "desc").orderBy("seq", "desc").limit(limit);
      return (await newest.execute()).map(outcomeOf);
    }),

  planned: (subject) =>
    read(async (db) => {
      const rows = all(db).where("state", "=", sql.lit("planned" as const));
      const wanted = subject === undefined ? rows : rows.where("subject", "=", subject);
      return (await wanted.orderBy("seq").execute()).map(outcomeOf);
    }),

  untold: () => read(async (db) => (await chatUntold(db).execute()).map(outcomeOf)),
});

const all = (db: Kysely<Database>) => db.selectFrom("outcome").selectAll();

const one = (
  read: Access["read"],
  wanted: (db: Kysely<Database>) => ReturnType<typeof all>,
): Promise<StoredOutcome | undefined> =>
  read(async (db) => {
    const row = await wanted(db).orderBy("seq", "desc").limit(1).executeTakeFirst();
    return row && outcomeOf(row);
  });

const pending = sql.lit("pending" as const);

/** A turn that runs may still have shown what it took; what it has not when it ends, the next one takes. */
const untold = (db: Kysely<Database>) =>
  all(db)
    .where("delivery", "=", pending)
    .where("target", "=", "local")
    .where("state", "!=", "planned")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("turn")
            .select("turn.id")
            .whereRef("turn.id", "=", sql.ref("outcome.receipt"))
            .where("turn.state", "=", sql.lit("open" as const)),
        ),
      ),
    )
    .orderBy("seq")
    .execute();

/** What a chat may tell: what one could not deliver, or a turn has taken, has a receipt, and is for a terminal. */
const chatUntold = (db: Kysely<Database>) =>
  all(db)
    .where("delivery", "=", pending)
    .where("receipt", "is", null)
    .where("state", "!=", "planned")
    .orderBy("seq");

/** The message that tells of them will not arrive: they are told at a terminal. */
export async function messageDied(tx: Transaction<Database>, receipt: string): Promise<void> {
  await tx
    .updateTable("outcome")
    .set({ delivery: "pending", target: "local" })
    .where("receipt", "=", receipt)
    .where("delivery", "=", "delivered")
    .execute();
}

const rowOf = (row: Omit<NewOutcome, "work">): Omit<Insertable<OutcomeRow>, "inbox" | "session"> => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  instant: row.instant,
  state: row.state,
  reason: row.reason ?? null,
  late_ms: row.lateMs,
  at: row.at,
  settled_at: row.settledAt ?? null,
  target: row.target,
  delivery: row.delivery,
  receipt: null,
});

const outcomeOf = (row: Selectable<OutcomeRow>): StoredOutcome => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  instant: row.instant,
  state: row.state,
  lateMs: row.late_ms,
  at: row.at,
  target: row.target,
  delivery: row.delivery,
  ...present({
    reason: row.reason,
    inbox: row.inbox,
    session: row.session,
    settledAt: row.settled_at,
    receipt: row.receipt,
  }),
});
