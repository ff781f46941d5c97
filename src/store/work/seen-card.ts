import { type Transaction, sql } from "kysely";
import type { Card, CardId, LinkedCard } from "../../core/cards/cards.ts";
import type { SeenCard, SeenChild, SeenOther } from "../schema/card-table.ts";
import type { Database } from "../schema/database.ts";
import { cardOf, runOf } from "./stored-card.ts";

type Tx = Transaction<Database>;

/** Until the transaction ends, nobody else changes anything on the board. Gives the time. */
export async function lockBoard(tx: Tx, name: string, at: number, isShared: boolean): Promise<number> {
  // Where there is one writer at a time, nothing has to be locked, and what changes nothing writes nothing.
  if (isShared) await tx.updateTable("board").set({ name }).where("name", "=", name).execute();
  const asked = tx.selectFrom("board").select(sql<number>`lease_time(${at})`.as("now"));
  return (await asked.where("name", "=", name).executeTakeFirstOrThrow()).now;
}

/** The same by a card on it. `undefined`: there is none. */
export async function lockBoardOf(
  tx: Tx,
  card: CardId,
  at: number,
  isShared: boolean,
): Promise<number | undefined> {
  const row = await tx.selectFrom("card").select("board").where("id", "=", card).executeTakeFirst();
  return row && lockBoard(tx, row.board, at, isShared);
}

/** Everything that a change of this card is decided on. */
export async function seenCard(
  tx: Tx,
  { id, other, now }: { readonly id: CardId; readonly other: CardId | undefined; readonly now: number },
): Promise<SeenCard | undefined> {
  const card = await cardAt(tx, id);
  const found = other === undefined ? undefined : await otherOf(tx, id, other);
  if (card === undefined || (other !== undefined && found?.card.board !== card.board)) return undefined;
  const run =
    card.run === undefined
      ? undefined
      : await tx.selectFrom("card_run").selectAll().where("id", "=", card.run).executeTakeFirst();
  return {
    now,
    card,
    parents: await parentsOf(tx, id),
    children: await childrenOf(tx, id),
    ...(run === undefined ? {} : { run: runOf(run) }),
    ...(found === undefined ? {} : { other: found }),
  };
}

/** Those of the board; a new card is to wait for them. */
export async function seenParents(
  tx: Tx,
  board: string,
  ids: readonly CardId[],
): Promise<readonly LinkedCard[]> {
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom("card").selectAll().where("id", "in", ids).execute();
  return rows
    .map(cardOf)
    .filter((card) => card.board === board)
    .map(linked);
}

export const linked = ({ id, title, state, doneAt }: Card): LinkedCard => ({
  id,
  title,
  state,
  ...(doneAt === undefined ? {} : { doneAt }),
});

async function cardAt(tx: Tx, id: CardId): Promise<Card | undefined> {
  const row = await tx.selectFrom("card").selectAll().where("id", "=", id).executeTakeFirst();
  return row && cardOf(row);
}

async function parentsOf(tx: Tx, id: CardId): Promise<readonly LinkedCard[]> {
  const rows = await tx
    .selectFrom("card_link")
    .innerJoin("card", "card.id", "card_link.parent")
    .selectAll("card")
    .where("card_link.child", "=", id)
    .orderBy("card.created_at")
    .execute();
  return rows.map(cardOf).map(linked);
}

async function childrenOf(tx: Tx, id: CardId): Promise<readonly SeenChild[]> {
  const rows = await tx
    .selectFrom("card_link")
    .innerJoin("card", "card.id", "card_link.child")
    .selectAll("card")
    .select((of) =>
      of
        .selectFrom("card_link as up")
        .innerJoin("card as above", "above.id", "up.parent")
        .select((count) => count.fn.countAll<number>().as("open"))
        .whereRef("up.child", "=", "card.id")
        .where("above.done_at", "is", null)
        .as("open_parents"),
    )
    .where("card_link.parent", "=", id)
    .execute();
  return rows.map((row) => ({ ...linked(cardOf(row)), openParents: Number(row.open_parents ?? 0) }));
}

async function otherOf(tx: Tx, id: CardId, other: CardId): Promise<SeenOther | undefined> {
  const card = await cardAt(tx, other);
  if (card === undefined) return undefined;
  const above = await sql<{ id: CardId }>`
    with recursive above (id) as (
      select parent from card_link where child = ${other}
      union select card_link.parent from card_link join above on card_link.child = above.id
    ) select id from above where id = ${id}`.execute(tx);
  return { card, waits: above.rows.length > 0 };
}
