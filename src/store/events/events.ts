import { type Kysely, sql } from "kysely";
import type { FollowedSession } from "../../core/event-log.ts";
import type { NoticeEvent } from "../../core/events.ts";
import type { SessionId, TurnId } from "../../core/ids.ts";
import type { Access } from "../access.ts";
import type { Engine } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { present } from "../present.ts";
import type { Database } from "../schema/database.ts";
import type { EventExtent, EventTable } from "../schema/event-tables.ts";
import { eventOf } from "./stored-event.ts";

/** Up to which cursor events were pruned; what is older than that cannot be read again. */
const prunedKey = "events_pruned";

export const eventTable = (
  { read, write }: Access,
  engine: Pick<Engine, "eventsSettled">,
  watch: EventTable["watch"],
): EventTable => ({
  after: (of, place, limit, isLeftOut) =>
    read(async (db) => {
      const rows =
        of === "all"
          ? await eventsOf(db, of, engine)
              .selectAll()
              .where("cursor", ">", place)
              .orderBy("cursor")
              .limit(limit)
              .execute()
          : (await sessionEvents(db, { session: of.session, place, limit })).rows;
      const events = [];
      for (const row of rows) {
        const { number, at, session, turn_id: turn } = row;
        if (turn !== null && isLeftOut?.(turn) === true) continue;
        const event = await eventOf(db, row);
        events.push({ place: row[placeOf(of)], number, at, session, ...present({ turn }), event });
      }
      const [first] = rows;
      const lost =
        of === "all"
          ? first !== undefined && place < (await pruned(db))
          : first !== undefined && first.number !== place + 1;
      return { events, to: rows.at(-1)?.[placeOf(of)] ?? place, more: rows.length === limit, lost };
    }),

  note: (session, turn, notice, at) => write((tx) => keepNotices(tx, session, turn, [notice], at)),

  extent: (of) => read((db) => (of === "all" ? wholeExtent(db, engine) : sessionExtent(db, of.session))),

  startOfOpenTurn: (session) => read((db) => startOfOpenTurn(db, session)),

  home: () =>
    read(async (db) => {
      const row = await db.selectFrom("meta").select("value").where("key", "=", "home").executeTakeFirst();
      return row?.value ?? "";
    }),

  async prune(keep, steps) {
    const last = await read((db) => lastToPrune(db, engine, keep, steps));
    // Mostly there is none: looking first spares everybody the write lock.
    if (last === undefined) return 0;
    return write(async (tx) => {
      const gone = await tx.deleteFrom("event").where("cursor", "<=", last).executeTakeFirst();
      const value = String(Math.max(last, await pruned(tx)));
      await tx
        .insertInto("meta")
        .values({ key: prunedKey, value })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
        .execute();
      return Number(gone.numDeletedRows);
    });
  },

  watch,
});

type SessionPage = { readonly session: SessionId; readonly place: number; readonly limit: number };

const sessionEvents = prepared((db, { session, place, limit }: SessionPage) =>
  db
    .selectFrom("event")
    .selectAll()
    .where("session", "=", session)
    .where("number", ">", place)
    .orderBy("number")
    .limit(limit),
);

async function startOfOpenTurn(db: Kysely<Database>, session: SessionId): Promise<number | undefined> {
  const started = await db
    .selectFrom("event")
    .innerJoin("turn", "turn.id", "event.turn_id")
    .select("event.number")
    .where("event.session", "=", session)
    .where("event.type", "=", "started")
    .where("turn.session", "=", session)
    .where("turn.state", "=", sql.lit("open" as const))
    .executeTakeFirst();
  return started && started.number - 1;
}

/** Of the oldest ones; cursors grow with time. */
async function lastToPrune(
  db: Kysely<Database>,
  engine: Pick<Engine, "eventsSettled">,
  keep: Parameters<EventTable["prune"]>[0],
  steps: number,
): Promise<number | undefined> {
  const { to } = await wholeExtent(db, engine);
  const oldest = db.selectFrom("event").select(["cursor", "at"]).orderBy("cursor");
  const [first] = await oldest.limit(1).execute();
  if (first === undefined) return undefined;
  // There are never more of them than cursors.
  const border = to - first.cursor < keep.events ? 0 : await cursorFromEnd(db, keep.events);
  if (first.at >= keep.since && first.cursor > border) return undefined;
  const some = await oldest.limit(steps).execute();
  return some.findLast(({ cursor, at }) => at < keep.since || cursor <= border)?.cursor;
}

/** That of the newest event behind which there are this many. 0: there is none. */
async function cursorFromEnd(db: Kysely<Database>, many: number): Promise<number> {
  const newest = db.selectFrom("event").select("cursor").orderBy("cursor", "desc");
  return (await newest.limit(1).offset(many).executeTakeFirst())?.cursor ?? 0;
}

const placeOf = (of: FollowedSession): "cursor" | "number" => (of === "all" ? "cursor" : "number");

/** Among all sessions only what nobody can get before any more. In one session numbers are given in the order of commits. */
function eventsOf(
  db: Kysely<Database>,
  of: FollowedSession,
  { eventsSettled }: Pick<Engine, "eventsSettled">,
) {
  const events = db.selectFrom("event");
  if (of !== "all") return events.where("session", "=", of.session);
  return eventsSettled === undefined ? events : events.where(eventsSettled);
}

async function pruned(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", prunedKey).executeTakeFirst();
  return Number(row?.value ?? 0);
}

async function wholeExtent(
  db: Kysely<Database>,
  engine: Pick<Engine, "eventsSettled">,
): Promise<EventExtent> {
  const from = await pruned(db);
  const { last } = await eventsOf(db, "all", engine)
    .select((of) => of.fn.max("cursor").as("last"))
    .executeTakeFirstOrThrow();
  return { from, to: Math.max(from, last ?? 0) };
}

/** The session's own count says how many there were, also when all of them are pruned. */
async function sessionExtent(db: Kysely<Database>, session: SessionId): Promise<EventExtent> {
  const row = await db
    .selectFrom("event")
    .select((of) => [of.fn.min("number").as("first"), of.fn.max("number").as("last")])
    .where("session", "=", session)
    .executeTakeFirstOrThrow();
  const counted = await db
    .selectFrom("session")
    .select("events")
    .where("id", "=", session)
    .executeTakeFirst();
  const to = counted?.events ?? row.last ?? 0;
  return { from: row.first === null ? to : row.first - 1, to };
}

/** What the person was told since the last commit of the turn; it is kept with the next one. */
export async function keepNotices(
  tx: Kysely<Database>,
  session: SessionId,
  turn: TurnId,
  notices: readonly NoticeEvent[] | undefined,
  at: number,
): Promise<void> {
  if (notices === undefined || notices.length === 0) return;
  const rows = notices.map(({ code, text }) => ({
    session,
    type: "notice" as const,
    turn_id: turn,
    body: JSON.stringify({ code, text }),
    at,
  }));
  await tx.insertInto("new_event").values(rows).execute();
}
