import type { Kysely, Selectable } from "kysely";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Item } from "../../core/items.ts";
import type { PastWindow, SessionCount } from "../../core/session.ts";
import type { Database, ItemRow, MessageRow, TurnRow } from "../schema/database.ts";
import type { SessionTable } from "../store.ts";
import { storedMessage } from "./stored-message.ts";
import { storedTurn } from "./stored-turn.ts";

/** A part of what was said, so that nobody who looks at the end of a session reads all of it. */
export async function pastOf(
  db: Kysely<Database>,
  id: SessionId,
  window: PastWindow,
): ReturnType<SessionTable["past"]> {
  const rows = await rowsIn(db, id, window);
  const ids = [...new Set(rows.map((row) => row.turn_id))];
  if (ids.length === 0) return { earlier: 0, turns: [] };
  const [turns, items] = await Promise.all([turnsWith(db, ids), itemsOf(db, ids)]);
  const rowsOf = Map.groupBy(rows, (row) => row.turn_id);
  const before = "last" in window ? await countRows(db, id, (rows[0]?.seq ?? 0) - 1) : nothing;
  return {
    earlier: before.messages - before.takenBack,
    turns: turns.map((turn) => ({
      turn: storedTurn(turn),
      rows: (rowsOf.get(turn.id) ?? []).map(storedMessage),
      items: (items.get(turn.id) ?? []).map(({ body }) => JSON.parse(body) as Item),
    })),
  };
}

const nothing = { messages: 0, takenBack: 0 };

/** All but those of turns that were taken back are counted in an index alone. */
export async function countRows(
  db: Kysely<Database>,
  id: SessionId,
  upTo: number,
): Promise<Pick<SessionCount, "messages" | "takenBack">> {
  const counted = db
    .selectFrom("message")
    .select((of) => of.fn.countAll<number | string>().as("count"))
    .where("seq", "<=", upTo);
  const all = await counted.where("session", "=", id).executeTakeFirstOrThrow();
  const undone = await counted.where("turn_id", "in", undoneIn(db, id)).executeTakeFirstOrThrow();
  return { messages: Number(all.count), takenBack: Number(undone.count) };
}

const undoneIn = (db: Kysely<Database>, id: SessionId) =>
  db.selectFrom("turn").select("id").where("session", "=", id).where("undone", "is not", null);

export async function countTurns(db: Kysely<Database>, id: SessionId): Promise<number> {
  const row = await db
    .selectFrom("turn")
    .select((of) => of.fn.countAll<number | string>().as("count"))
    .where("session", "=", id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Of whole turns. One is there even if it alone is too long. */
async function rowsIn(
  db: Kysely<Database>,
  id: SessionId,
  window: PastWindow,
): Promise<readonly Selectable<MessageRow>[]> {
  const kept = db
    .selectFrom("message")
    .selectAll()
    .where("session", "=", id)
    .where("turn_id", "not in", undoneIn(db, id));
  if ("turns" in window) return kept.where("turn_id", "in", window.turns).orderBy("seq").execute();
  const newest = kept.orderBy("seq", "desc").limit(window.last + 1);
  const found = (await newest.execute()).toReversed();
  const [oldest] = found;
  if (oldest === undefined || found.length <= window.last) return found;
  // More than was asked for: the turn that it begins with does not fit, or was not read from its beginning.
  const fitting = found.filter((row) => row.turn_id !== oldest.turn_id);
  if (fitting.length > 0) return fitting;
  return kept.where("turn_id", "=", oldest.turn_id).orderBy("seq").execute();
}

const turnsWith = (db: Kysely<Database>, ids: readonly TurnId[]): Promise<readonly Selectable<TurnRow>[]> =>
  db.selectFrom("turn").selectAll().where("id", "in", ids).orderBy("seq").execute();

async function itemsOf(
  db: Kysely<Database>,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, readonly Selectable<ItemRow>[]>> {
  const items = await db.selectFrom("item").selectAll().where("turn_id", "in", ids).orderBy("seq").execute();
  return Map.groupBy(items, (item) => item.turn_id);
}
