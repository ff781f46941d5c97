import { type Kysely, type Transaction, sql } from "kysely";
import type { EndedEvent, Usage } from "../../core/events.ts";
import { type ItemId, type SessionId, type TurnId, type InboxId, asId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import { type InputPart, userMessage } from "../../core/messages.ts";
import type { Access } from "../access.ts";
import {
  type Numbered,
  type TurnOfSession,
  isHeld,
  numbered,
  releaseLease,
  requireTurn,
  turnOf,
} from "../leases.ts";
import { keepNotices } from "../events/events.ts";
import { beginTurn, beginWaiting, openTurn, sessionOf } from "./turn-opening.ts";
import { changedRows, prepared } from "../prepared.ts";
import type { Database } from "../schema/database.ts";
import type { TurnTable, Lease } from "../store.ts";
import { admitInput } from "./inbox.ts";
import { newOutboxRow } from "../gateway/stored-outbox.ts";
import { touchSession } from "./sessions.ts";
import { insertMessages } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";
import { redoTurns, undoTurns } from "./undo.ts";
import { settleSpend } from "../work/work-spend.ts";
import { insertUsage, usageRow } from "./usage.ts";

export const turnTable = (access: Access): TurnTable => ({ ...writers(access), ...readers(access) });

type ReaderNames = "get" | "items" | "listOpen" | "takeUnreported";

const writers = ({ isShared, held, machine }: Access): Omit<TurnTable, ReaderNames> => ({
  begin: (claim, admission, first) =>
    held({ session: sessionOf(admission) }, (tx) => beginTurn(tx, claim, admission, first, machine)),

  beginWaiting: (claim, input, chosen, first) =>
    held({ session: input.session }, (tx) => beginWaiting(tx, claim, input, chosen, first, machine)),

  open: (lease, turn, admission) =>
    held(lease, async (tx) => {
      if (admission !== undefined) await admitInput(tx, admission);
      return openTurn(tx, lease, turn);
    }),

  describe: (lease, turn, facts) =>
    held(lease, async (tx) => {
      const { model = null, side, usage } = facts;
      // Where only one writes at a time nothing can come in between, and one statement does for both.
      if (isShared) await requireTurn(tx, lease, turn);
      const described = await describeTurn(tx, {
        ...placeOf(lease, turn),
        model,
        side: jsonText(side),
        usage: jsonText(usage),
      });
      if (changedRows(described) === 0) await requireTurn(tx, lease, turn);
    }),

  keep: (lease, turn, item, rows, at, usage, notices) =>
    held(lease, async (tx) => {
      // As above: mostly one statement checks the lease and keeps the item.
      const isChecked = isShared || (notices ?? []).length > 0;
      if (isChecked) await requireTurn(tx, lease, turn);
      await keepNotices(tx, lease.session, turn, notices, at);
      const row = { item: item.id, body: JSON.stringify(item), at };
      const kept = await insertItem(tx, { ...placeOf(lease, turn), ...row });
      if (changedRows(kept) === 0 && !isChecked) await requireTurn(tx, lease, turn);
      if (changedRows(kept) === 0) return false;
      if (item.kind === "call" || item.kind === "note") await closeCall(tx, turn, item.id);
      const origin = { session: lease.session, turn, item: item.id, at };
      await insertMessages(tx, origin, rows);
      if (usage !== undefined) await noteUsage(tx, turn, usage);
      return true;
    }),

  steered: (lease, turn, inbox, at) =>
    held(lease, async (tx) => {
      await requireTurn(tx, lease, turn);
      return keepSteered(tx, lease, turn, inbox, at);
    }),

  end: (lease, turn, ended, at, also) =>
    held(lease, async (tx) => {
      if (also.release !== true || !(await releaseLease(tx, lease))) await requireTurn(tx, lease, turn);
      await keepNotices(tx, lease.session, turn, also.notices, at);
      if (!(await endTurn(tx, lease, turn, ended, at, also.tell))) return false;
      await keepWithEnd(tx, lease, turn, at, also);
      return true;
    }),

  undo: (lease, turns) => held(lease, (tx) => undoTurns(tx, lease, turns)),

  redo: (lease) => held(lease, (tx) => redoTurns(tx, lease)),
});

const readers = ({ read, write }: Access): Pick<TurnTable, ReaderNames> => ({
  items: (turn) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("item")
        .select("body")
        .where("turn_id", "=", turn)
        .orderBy("seq")
        .execute();
      return rows.map((row) => JSON.parse(row.body) as Item);
    }),

  get: (turn) =>
    read(async (db) => {
      const row = await db.selectFrom("turn").selectAll().where("id", "=", turn).executeTakeFirst();
      return row && storedTurn(row);
    }),

  listOpen: () =>
    read(async (db) => {
      // No order: otherwise all turns are read instead of the index of the open ones.
      const rows = await db.selectFrom("turn").selectAll().where("state", "=", open).execute();
      return rows.toSorted((a, b) => a.seq - b.seq).map(storedTurn);
    }),

  async takeUnreported(session) {
    // Mostly there is none: looking first spares everybody the write lock.
    if ((await read((db) => unreported(db, session))).length === 0) return [];
    return write(async (tx) => {
      const rows = await unreported(tx, session);
      for (const { id } of rows) await tx.updateTable("turn").set({ told: 1 }).where("id", "=", id).execute();
      return rows.map(storedTurn);
    });
  },
});

/** A literal: what there is an index of, SQLite would look at and plan anew each time. */
const open = sql.lit("open" as const);

const jsonText = (value: Json | Usage | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** A turn, its session, and the lease under which it is written. */
type Place = Numbered & TurnOfSession;

const placeOf = (lease: Lease, turn: TurnId): Place => ({ ...numbered(lease), session: lease.session, turn });

type Facts = { readonly side: string | null; readonly usage: string | null };

const describeTurn = prepared((db, at: Place & Facts & { readonly model: string | null }) =>
  db
    .updateTable("turn")
    .set({
      model: sql<string>`coalesce(${at.model}, model)`,
      side: sql<string>`coalesce(${at.side}, side)`,
      usage: sql<string>`coalesce(${at.usage}, usage)`,
    })
    .where("id", "=", at.turn)
    .where("session", "=", at.session)
    .where("state", "=", open)
    .where(({ exists }) => exists(isHeld(db, at))),
);

type NewItem = { readonly item: ItemId; readonly body: string; readonly at: number };

/** Adds nothing when the item is there, or the lease is not held any more. */
const insertItem = prepared((db, { name, epoch, session, turn, item, body, at }: Place & NewItem) =>
  db
    .insertInto("item")
    .columns(["turn_id", "item_id", "body", "at"])
    .expression(
      turnOf(db, { turn, session })
        .select((of) => [of.val(item).as("item_id"), of.val(body).as("body"), of.val(at).as("at")])
        .where(({ exists }) => exists(isHeld(db, { name, epoch }))),
    )
    .onConflict((conflict) => conflict.columns(["turn_id", "item_id"]).doNothing()),
);

const closeCall = (tx: Transaction<Database>, turn: TurnId, item: ItemId) =>
  tx.deleteFrom("begun_call").where("turn_id", "=", turn).where("item_id", "=", item).execute();

async function noteUsage(tx: Transaction<Database>, turn: TurnId, usage: Usage): Promise<void> {
  await tx
    .updateTable("turn")
    .set({ usage: JSON.stringify(usage) })
    .where("id", "=", turn)
    .where("state", "=", "open")
    .execute();
}

async function keepWithEnd(
  tx: Transaction<Database>,
  { session }: Lease,
  turn: TurnId,
  at: number,
  { replies, usage = [], unchosen = {}, settles }: Parameters<TurnTable["end"]>[4],
): Promise<void> {
  const rows = replies.map((reply) => newOutboxRow({ ...reply, turn }, at));
  if (rows.length > 0) await tx.insertInto("outbox").values(rows).execute();
  for (const row of usage) await insertUsage(tx, usageRow(row));
  if (settles !== undefined) await settleSpend(tx, settles);
  if (Object.keys(unchosen).length > 0)
    await tx.updateTable("session").set(unchosen).where("id", "=", session).execute();
}

async function endTurn(
  tx: Transaction<Database>,
  { session }: Lease,
  turn: TurnId,
  ended: EndedEvent,
  at: number,
  tell: boolean,
): Promise<boolean> {
  const changed = await closeTurn(tx, {
    turn,
    session,
    state: ended.outcome,
    at,
    told: tell ? 0 : 1,
    fault: ended.fault === undefined ? null : JSON.stringify(ended.fault),
    usage: jsonText(ended.usage),
    side: jsonText(ended.side),
  });
  return changedRows(changed) > 0;
}

type EndedTurn = TurnOfSession &
  Facts & {
    readonly state: EndedEvent["outcome"];
    readonly at: number;
    readonly told: number;
    readonly fault: string | null;
  };

const closeTurn = prepared((db, { turn, session, state, at, told, fault, usage, side }: EndedTurn) =>
  db
    .updateTable("turn")
    .set({ state, ended_at: at, told, fault, usage, side: sql<string>`coalesce(${side}, side)` })
    .where("id", "=", turn)
    .where("session", "=", session)
    .where("state", "=", open),
);

const unreported = (db: Kysely<Database>, session: SessionId) =>
  db
    .selectFrom("turn")
    .selectAll()
    .where("session", "=", session)
    .where("state", "!=", "open")
    .where("told", "=", sql.lit(0))
    .orderBy("seq")
    .execute();

/** The row has the name of its input, so there can be one only. */
async function keepSteered(
  tx: Transaction<Database>,
  { session }: Lease,
  turn: TurnId,
  inbox: InboxId,
  at: number,
): Promise<boolean> {
  const input = await tx
    .updateTable("inbox")
    .set({ state: "steered" })
    .where("id", "=", inbox)
    .where("session", "=", session)
    .where("turn_id", "=", turn)
    .where("state", "=", "unconfirmed")
    .returning("body")
    .executeTakeFirst();
  if (input === undefined) return false;
  const message = userMessage(JSON.parse(input.body) as InputPart[]);
  const origin = { session, turn, item: asId<"itm">(inbox), at };
  await insertMessages(tx, origin, [message]);
  return touchSession(tx, session, at);
}
