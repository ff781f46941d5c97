import { type Kysely, type Transaction, sql } from "kysely";
import type { EndedEvent, Usage } from "../../core/events.ts";
import { type ItemId, type SessionId, type TurnId, type InboxId, asId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { Json } from "../../core/json.ts";
import { type InputPart, userMessage } from "../../core/messages.ts";
import type { Access } from "../access.ts";
import { isHeld, releaseLease, requireTurn } from "../leases.ts";
import { keepNotices } from "../events/events.ts";
import { beginTurn, openTurn, sessionOf } from "./turn-opening.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { TurnTable, Lease } from "../store.ts";
import { admitInput } from "./inbox.ts";
import { replyRow } from "./outbox.ts";
import { touchSession } from "./sessions.ts";
import { messageRow } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";
import { redoTurns, undoTurns } from "./undo.ts";
import { usageRow } from "./usage.ts";

export const turnTable = (access: Access): TurnTable => ({ ...writers(access), ...readers(access) });

type ReaderNames = "items" | "sessionOf" | "listOpen" | "takeUnreported";

const writers = ({ isShared, held, machine }: Access): Omit<TurnTable, ReaderNames> => ({
  begin: (claim, admission, first) =>
    held({ session: sessionOf(admission) }, (tx) => beginTurn(tx, claim, admission, first, machine)),

  open: (lease, turn, admission) =>
    held(lease, async (tx) => {
      if (admission !== undefined) await admitInput(tx, admission);
      return openTurn(tx, lease, turn);
    }),

  describe: (lease, turn, facts) =>
    held(lease, async (tx) => {
      const { model, side, usage } = facts;
      const set = present({ model, side: jsonText(side), usage: jsonText(usage) });
      // Where only one writes at a time nothing can come in between, and one statement does for both.
      if (isShared) await requireTurn(tx, lease, turn);
      const described = await tx
        .updateTable("turn")
        .set({ state: "open", ...set })
        .where("id", "=", turn)
        .where("session", "=", lease.session)
        .where("state", "=", "open")
        .where(({ exists }) => exists(isHeld(tx, lease)))
        .executeTakeFirst();
      if (described.numUpdatedRows === 0n) await requireTurn(tx, lease, turn);
    }),

  keep: (lease, turn, item, rows, at, usage, notices) =>
    held(lease, async (tx) => {
      await requireTurn(tx, lease, turn);
      await keepNotices(tx, lease.session, turn, notices, at);
      const kept = await tx
        .insertInto("item")
        .values({ turn_id: turn, item_id: item.id, body: JSON.stringify(item), at })
        .onConflict((conflict) => conflict.columns(["turn_id", "item_id"]).doNothing())
        .executeTakeFirst();
      if (kept.numInsertedOrUpdatedRows === 0n) return false;
      if (item.kind === "call" || item.kind === "note") await closeCall(tx, turn, item.id);
      const origin = { session: lease.session, turn, item: item.id, at };
      const messages = rows.map((message) => messageRow(origin, message));
      if (messages.length > 0) await tx.insertInto("message").values(messages).execute();
      if (usage !== undefined) await noteUsage(tx, turn, usage);
      return true;
    }),

  steered: (lease, turn, inbox, at) =>
    held(lease, async (tx) => {
      await requireTurn(tx, lease, turn);
      return keepSteered(tx, lease, turn, inbox, at);
    }),

  end: (lease, turn, ended, at, { replies, tell, release = false, usage = [], unchosen = {}, notices }) =>
    held(lease, async (tx) => {
      if (!release || !(await releaseLease(tx, lease))) await requireTurn(tx, lease, turn);
      await keepNotices(tx, lease.session, turn, notices, at);
      if (!(await endTurn(tx, lease, turn, ended, at, tell))) return false;
      const rows = replies.map((reply) => replyRow(turn, reply));
      if (rows.length > 0) await tx.insertInto("outbox").values(rows).execute();
      if (usage.length > 0) await tx.insertInto("usage").values(usage.map(usageRow)).execute();
      if (Object.keys(unchosen).length > 0)
        await tx.updateTable("session").set(unchosen).where("id", "=", lease.session).execute();
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

  sessionOf: (turn) =>
    read(async (db) => {
      const row = db.selectFrom("turn").select("session").where("id", "=", turn);
      return (await row.executeTakeFirst())?.session;
    }),

  listOpen: () =>
    read(async (db) => {
      // A literal, and no order: otherwise all turns are read instead of the index of the open ones.
      const open = sql.lit("open" as const);
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

const jsonText = (value: Json | Usage | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

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

async function endTurn(
  tx: Transaction<Database>,
  { session }: Lease,
  turn: TurnId,
  ended: EndedEvent,
  at: number,
  tell: boolean,
): Promise<boolean> {
  const changed = await tx
    .updateTable("turn")
    .set({
      state: ended.outcome,
      ended_at: at,
      told: tell ? 0 : 1,
      fault: ended.fault === undefined ? null : JSON.stringify(ended.fault),
      usage: ended.usage === undefined ? null : JSON.stringify(ended.usage),
      ...present({ side: jsonText(ended.side) }),
    })
    .where("id", "=", turn)
    .where("session", "=", session)
    .where("state", "=", "open")
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

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
  await tx.insertInto("message").values(messageRow(origin, message)).execute();
  return touchSession(tx, session, at);
}
