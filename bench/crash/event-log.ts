import type { SessionId } from "../../src/core/ids.ts";
import type { Store } from "../../src/store/store.ts";
import type { Rows } from "./disk.ts";

/** Is each durable thing in the event log once, in order, and numbered without holes? One line for each that is not. */
export async function brokenLog(rows: Rows): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [of, sql] of Object.entries(rules))
    for (const row of await rows<object>(sql))
      broken.push(`event log: ${of}: ${Object.values(row).join(", ")}`);
  return broken;
}

/** How many events there are of a kind, for each row, and how many there should be. */
const unless = (table: string, id: string, which: string, wanted: string): string =>
  `select id, found, wanted from (select ${id} as id, (select count(*) from event where ${which}) as found,
     ${wanted} as wanted from ${table}) as counted where found <> wanted`;

const when = (condition: string): string => `case when ${condition} then 1 else 0 end`;

const ofTurn = (type: string): string => `event.turn_id = turn.id and event.type = '${type}'`;

/** A question that was decided before anybody was asked is no event. */
const closed = (table: string): string =>
  unless(
    table,
    `${table}.id`,
    `event.ref = ${table}.id and event.type = '${table}_closed'`,
    `(select count(*) from event where event.ref = ${table}.id and event.type = '${table}_asked') *
     ${when(`${table}.state <> 'pending'`)}`,
  );

const asked = (table: string): string =>
  `select ref, count(*) from event where type = '${table}_asked' group by ref having count(*) > 1`;

/** What each finds must not be. Copies of a fork (epoch 0) are no events. */
const rules: Readonly<Record<string, string>> = {
  "numbers have holes": `select session.id, session.events, count(event.cursor), max(event.number) from session
     left join event on event.session = session.id group by session.id, session.events
     having count(event.cursor) <> session.events or coalesce(max(event.number), 0) <> session.events`,
  "a beginning is not there once": unless(
    "session",
    "session.id",
    "event.session = session.id and event.type = 'began'",
    "1",
  ),
  "an item is not there once": unless(
    "item join turn on turn.id = item.turn_id",
    "item.turn_id || ' ' || item.item_id",
    "event.turn_id = item.turn_id and event.ref = item.item_id and event.type = 'item'",
    when("turn.epoch > 0"),
  ),
  "a start is not there once": unless("turn", "turn.id", ofTurn("started"), when("turn.epoch > 0")),
  "an end is not there once": unless(
    "turn",
    "turn.id",
    ofTurn("ended"),
    when("turn.epoch > 0 and turn.state <> 'open'"),
  ),
  "what was said into a turn is not there once": unless(
    "inbox",
    "inbox.id",
    "event.ref = inbox.id and event.type = 'steered'",
    when("inbox.state = 'steered'"),
  ),
  "a question was asked twice": asked("approval"),
  "an inquiry was asked twice": asked("inquiry"),
  "the end of a question is not there once": closed("approval"),
  "the end of an inquiry is not there once": closed("inquiry"),
  "cursors and numbers disagree": `select later.session, later.number from event later join event earlier
     on earlier.session = later.session and earlier.number < later.number and earlier.cursor > later.cursor`,
  "something is before its start": `select event.turn_id, event.number, event.type from event
     join event first on first.turn_id = event.turn_id and first.type = 'started' and first.number > event.number`,
  "something is after its end": `select event.turn_id, event.number, event.type from event
     join event last on last.turn_id = event.turn_id and last.type = 'ended' and last.number < event.number
     where event.type <> 'notice'`,
};

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
