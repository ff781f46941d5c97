import { type Kysely, sql } from "kysely";
import type { Board, CardId } from "../../core/cards/cards.ts";
import type { Access } from "../access.ts";
import type { CardStep, CardTable } from "../schema/card-table.ts";
import type { Database } from "../schema/database.ts";
import { addCard, applyStep } from "./card-step.ts";
import { linked, lockBoard, lockBoardOf, seenCard, seenParents } from "./seen-card.ts";
import { cardOf, commentOf, eventOf, runOf } from "./stored-card.ts";

export const cardTable = (access: Access): CardTable => ({
  ...writes(access),
  ...reads(access),
  ...working(access),
});

const writes = ({ onBoard, isShared }: Access): Pick<CardTable, "add" | "change"> => ({
  add: ({ board, parents, at }, decide) =>
    onBoard(async (tx) => {
      await tx
        .insertInto("board")
        .values({ name: board, created_at: at })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
      const now = await lockBoard(tx, board, at, isShared);
      const decided = decide({ now, parents: await seenParents(tx, board, parents) });
      if (!isStep(decided)) return decided;
      await addCard(tx, decided);
      return decided.next;
    }),

  change: ({ id, other, at }, decide) =>
    onBoard(async (tx) => {
      const now = await lockBoardOf(tx, id, at, isShared);
      const seen = now === undefined ? undefined : await seenCard(tx, { id, other, now });
      if (seen === undefined) return undefined;
      const decided = decide(seen);
      if (!isStep(decided)) return decided;
      await applyStep(tx, seen, decided);
      return decided.next;
    }),
});

const isStep = <Said>(decided: CardStep | Said): decided is CardStep =>
  typeof decided === "object" && decided !== null && "mover" in decided;

type Reads = Omit<CardTable, "add" | "change" | Waiting>;

const reads = ({ read }: Access): Reads => ({
  get: (id) =>
    read(async (db) => {
      const row = await db.selectFrom("card").selectAll().where("id", "=", id).executeTakeFirst();
      return row && cardOf(row);
    }),

  details: (id) => read((db) => detailsOf(db, id)),

  find: (prefix) =>
    read(async (db) => {
      const begins = db
        .selectFrom("card")
        .selectAll()
        .where("id", ">=", prefix as CardId);
      const rows = await begins
        .where("id", "<", `${prefix}\u{10ffff}` as CardId)
        .limit(10)
        .execute();
      return rows.map(cardOf);
    }),

  list: ({ board, states, limit }) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("card")
        .selectAll()
        .$if(board !== undefined, (cards) => cards.where("board", "=", board ?? ""))
        .$if(states !== undefined, (cards) => cards.where("state", "in", states ?? []))
        .orderBy("priority", "desc")
        .orderBy("created_at")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(cardOf);
    }),

  boards: () => read(boardsOf),

  runs: ({ card, limit }) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("card_run")
        .selectAll()
        .$if(card !== undefined, (runs) => runs.where("card", "=", card ?? "t_"))
        .orderBy("claimed_at", "desc")
        .orderBy("epoch", "desc")
        .limit(limit)
        .execute();
      return rows.map(runOf);
    }),
});

type Waiting = "due" | "nextDue" | "open" | "ofSession" | "madeByModels";

/** What whoever works on cards asks for. */
const working = ({ read }: Access): Pick<CardTable, Waiting> => ({
  due: (at) =>
    read(async (db) => {
      const now = sql<number>`lease_time(${at})`;
      const waited = db.selectFrom("card").select("id").where("block_until", "<=", now);
      const open = db.selectFrom("card_run").select("card as id").where("ended_at", "is", null);
      // A clock that went back makes a claim last no longer than it was to.
      const isOver = sql<boolean>`(expires_at <= ${now} or ${now} < 2 * heartbeat_at - expires_at)`;
      const rows = await waited.unionAll(open.where(isOver)).execute();
      return rows.map(({ id }) => id);
    }),

  nextDue: (after) =>
    read(async (db) => {
      const blocked = db.selectFrom("card").select((of) => of.fn.min("block_until").as("at"));
      const claimed = db.selectFrom("card_run").select((of) => of.fn.min("expires_at").as("at"));
      const ends = [
        (await blocked.where("block_until", ">", after).executeTakeFirst())?.at,
        (await claimed.where("ended_at", "is", null).where("expires_at", ">", after).executeTakeFirst())?.at,
      ].filter((at) => typeof at === "number");
      return ends.length === 0 ? undefined : Math.min(...ends);
    }),

  open: () =>
    read(async (db) => {
      const rows = db.selectFrom("card_run").selectAll().where("ended_at", "is", null);
      return (await rows.orderBy("claimed_at").orderBy("id").execute()).map(runOf);
    }),

  ofSession: (session) =>
    read(async (db) => {
      const rows = db.selectFrom("card_run").selectAll().where("session", "=", session);
      const row = await rows.executeTakeFirst();
      return row && runOf(row);
    }),

  madeByModels: (since) =>
    read(async (db) => {
      const made = db.selectFrom("card").where("by_model", "=", sql.lit(1)).where("created_at", ">=", since);
      const row = await made.select((of) => of.fn.countAll<number>().as("many")).executeTakeFirstOrThrow();
      return Number(row.many);
    }),
});

async function detailsOf(db: Kysely<Database>, id: CardId): ReturnType<CardTable["details"]> {
  const row = await db.selectFrom("card").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return undefined;
  const neighbours = (mine: "parent" | "child", other: "parent" | "child") =>
    db
      .selectFrom("card_link")
      .innerJoin("card", "card.id", `card_link.${other}`)
      .selectAll("card")
      .where(`card_link.${mine}`, "=", id)
      .orderBy("card.created_at")
      .execute();
  const parents = await neighbours("child", "parent");
  const children = await neighbours("parent", "child");
  const comments = db.selectFrom("card_comment").selectAll().where("card", "=", id).orderBy("seq");
  const events = db.selectFrom("card_event").selectAll().where("card", "=", id).orderBy("seq");
  const runs = db.selectFrom("card_run").selectAll().where("card", "=", id).orderBy("epoch");
  return {
    ...cardOf(row),
    parents: parents.map(cardOf).map(linked),
    children: children.map(cardOf).map(linked),
    comments: (await comments.execute()).map(commentOf),
    events: (await events.execute()).map(eventOf),
    runs: (await runs.execute()).map(runOf),
  };
}

async function boardsOf(db: Kysely<Database>): Promise<readonly Board[]> {
  const boards = await db.selectFrom("board").selectAll().orderBy("created_at").orderBy("name").execute();
  const counts = await db
    .selectFrom("card")
    .select((of) => ["board", "state", of.fn.countAll<number>().as("cards")])
    .groupBy(["board", "state"])
    .execute();
  return boards.map(({ name, created_at: createdAt }) => ({
    name,
    createdAt,
    cards: Object.fromEntries(
      counts.filter(({ board }) => board === name).map(({ state, cards }) => [state, Number(cards)]),
    ),
  }));
}
