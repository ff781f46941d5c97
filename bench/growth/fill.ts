import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { systemClock } from "../../src/lib/clock.ts";
import { type Corpus, corpus } from "../search/corpus.ts";

/** How much is in a home besides the session in which turns are measured, and how long that one is. */
export type Shape = {
  readonly sessions: number;
  readonly turnsEach: number;
  readonly messagesPerTurn: number;
  readonly measuredTurns: number;
};

type Row = Record<string, SQLInputValue>;
type Template = { readonly [Table in (typeof tables)[number]]: Row };

const tables = ["session", "inbox", "turn", "item", "message", "usage", "snapshot"] as const;

/** Older than these, the turns of the measured session are given as a summary. */
const givenWhole = 10;
const minuteMs = 60_000;
const indexes = ["message_words", "message_trigrams"];
/** In each of its turns, whatever the others have. */
const measuredMessages = 4;
/** Short ones: a million of them are to be indexed in minutes. About 70 characters each. */
const lengths = { user: 15, other: 25 };

/**
 * Fills a home in which one turn was run: every row is a copy of one that the program wrote, with other ids, words and
 * times. Written straight into the tables, the same for the same seed.
 */
export function fill(path: string, measured: string, shape: Shape, seed: number, now: number): void {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 100000");
  gatherInMemory(db, 64 * 2 ** 20);
  const template = templateOf(db, measured);
  const add = adding(db, template, corpus(seed, lengths));
  db.exec("BEGIN IMMEDIATE");
  for (let n = 0; n < shape.sessions; n += 1) {
    const id = `ses_a${String(n).padStart(8, "0")}`;
    const at = now - (shape.sessions - n) * minuteMs;
    add.session(id, at);
    for (let turn = 0; turn < shape.turnsEach; turn += 1) add.turn(id, at + turn, shape.messagesPerTurn);
  }
  for (let turn = 1; turn < shape.measuredTurns; turn += 1)
    add.turn(measured, now - minuteMs + turn, measuredMessages);
  db.exec("COMMIT");
  if (shape.measuredTurns > givenWhole) summariseIn(db, measured, now);
  gatherInMemory(db, 2 ** 20);
  // As years of small commits leave it: what is large lies apart, and is not what the next turn merges.
  for (const index of indexes) db.exec(`INSERT INTO ${index} (${index}) VALUES ('optimize')`);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize");
}

function templateOf(db: DatabaseSync, measured: string): Template {
  const one = (table: string): Row => {
    const column = { session: "id", item: "turn_id" }[table] ?? "session";
    const value = table === "item" ? "(SELECT id FROM turn WHERE session = ?)" : "?";
    const row = db.prepare(`SELECT * FROM "${table}" WHERE ${column} = ${value} LIMIT 1`).get(measured);
    if (row === undefined) throw new Error(`the first turn left no row in ${table}`);
    const { seq: _seq, ...rest } = row as Row;
    return rest;
  };
  return Object.fromEntries(tables.map((table) => [table, one(table)])) as Template;
}

function adding(db: DatabaseSync, template: Template, { message }: Corpus) {
  const insert = Object.fromEntries(
    tables.map((table) => {
      const names = Object.keys(template[table]);
      const marks = names.map(() => "?").join(", ");
      const statement = db.prepare(`INSERT INTO "${table}" (${names.join(", ")}) VALUES (${marks})`);
      const add = (change: Row): unknown => {
        const row = { ...template[table], ...change };
        return statement.run(...names.map((name) => row[name] ?? null));
      };
      return [table, add];
    }),
  ) as Record<(typeof tables)[number], (change: Row) => unknown>;
  let turns = 0;
  return {
    session(id: string, at: number): void {
      insert.session({
        id,
        title: `Session ${id}`,
        created_at: at,
        updated_at: at,
        ...fresh(template.session),
      });
      insert.snapshot({ session: id });
    },
    turn(session: string, at: number, messages: number): void {
      turns += 1;
      const [id, inbox] = [`trn_a${turns}`, `inb_a${turns}`];
      const words = Array.from({ length: messages }, () => message().content);
      const body = JSON.stringify([{ type: "text", text: words[0] }]);
      insert.inbox({ id: inbox, session, msg_id: `a${turns}`, body, received_at: at, turn_id: id });
      insert.turn({ id, session, inbox_id: inbox, started_at: at, ended_at: at });
      for (const [place, content] of words.entries()) {
        const item = place === 0 ? String(template.message["item_id"]) : `${id}_${place}`;
        const role = place === 0 ? "user" : "assistant";
        insert.message({ session, turn_id: id, item_id: item, role, at, content });
        const said = JSON.stringify({ id: item, kind: "text", text: content });
        if (place > 0) insert.item({ turn_id: id, item_id: item, at, body: said });
      }
      insert.usage({ session, turn_id: id, at });
    },
  };
}

/** The number of its last event is counted by the tables themselves. */
const fresh = (session: Row): Row => ("events" in session ? { events: 0 } : {});

/** As the program would have done it: all but the last turns of a session become a summary. */
export function summarise(path: string, session: string): void {
  using db = new DatabaseSync(path);
  db.exec("PRAGMA busy_timeout = 5000");
  summariseIn(db, session, systemClock.now());
}

function summariseIn(db: DatabaseSync, session: string, at: number): void {
  const [first] = db
    .prepare(
      `SELECT min(message.seq) AS seq FROM message WHERE turn_id IN
       (SELECT id FROM turn WHERE session = ? ORDER BY seq DESC LIMIT ?)`,
    )
    .all(session, givenWhole);
  const upTo = Number(first?.["seq"]) - 1;
  db.prepare(
    "INSERT INTO compaction (session, up_to, seen, at, pinned, summary) VALUES (?, ?, ?, ?, '[]', 'What was said before.')",
  ).run(session, upTo, upTo, at);
}

/** How much FTS5 gathers before it writes; only the filling is faster for it. */
function gatherInMemory(db: DatabaseSync, bytes: number): void {
  for (const index of indexes) db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('hashsize', ${bytes})`);
}
