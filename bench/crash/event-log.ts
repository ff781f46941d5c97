import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../../src/core/ids.ts";
import type { Store } from "../../src/store/store.ts";

/** Is each durable thing in the event log once, in order, and numbered without holes? One line for each that is not. */
export function brokenLog(db: Pick<DatabaseSync, "prepare">): readonly string[] {
  const found = (sql: string, of: string): readonly string[] =>
    db
      .prepare(sql)
      .all()
      .map((row) => `event log: ${of}: ${Object.values(row).join(", ")}`);
  return [
    ...found(
      `select session.id, session.events, count(event.cursor), max(event.number) from session
       left join event on event.session = session.id group by session.id
       having count(event.cursor) <> session.events or coalesce(max(event.number), 0) <> session.events`,
      "numbers have holes",
    ),
    ...found(
      `select turn_id, item_id, (select count(*) from event where event.turn_id = item.turn_id
         and event.ref = item.item_id and event.type = 'item') n from item where n <> 1`,
      "an item is not there once",
    ),
    ...found(
      `select id, (select count(*) from event where turn_id = turn.id and type = 'started') n from turn where n <> 1`,
      "a start is not there once",
    ),
    ...found(
      `select id, (select count(*) from event where turn_id = turn.id and type = 'ended') n from turn
       where n <> (state <> 'open')`,
      "an end is not there once",
    ),
    ...found(
      `select later.session, later.number from event later join event earlier on earlier.session = later.session
       and earlier.number < later.number and earlier.cursor > later.cursor`,
      "cursors and numbers disagree",
    ),
    ...found(
      `select event.turn_id, event.number, event.type from event
       join event first on first.turn_id = event.turn_id and first.type = 'started' and first.number > event.number`,
      "something is before its start",
    ),
    ...found(
      `select event.turn_id, event.number, event.type from event
       join event last on last.turn_id = event.turn_id and last.type = 'ended' and last.number < event.number`,
      "something is after its end",
    ),
  ];
}

/** Does a reader that goes on behind any place read exactly the rest? */
export async function brokenCursors(
  { events }: Pick<Store, "events">,
  session: SessionId,
): Promise<readonly string[]> {
  const whole = await events.after({ session }, 0, 100_000);
  const broken = whole.lost ? [`event log: ${session} has lost its beginning`] : [];
  for (const { place } of whole.events) {
    const { events: rest, lost } = await events.after({ session }, place, 100_000);
    const numbers = rest.map(({ number }) => number).join();
    const wanted = whole.events.slice(place).map(({ number }) => number);
    if (lost || numbers !== wanted.join())
      broken.push(`event log: ${session} does not go on behind ${place}`);
  }
  return broken;
}
