/**
 * The event log. Triggers write it, in the transaction of the thing itself: whatever path the program takes, nothing is
 * logged that did not happen, and nothing happens unlogged. An event refers to its row and copies nothing.
 */

const now = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

type Columns = { readonly session?: string; readonly at: string } & Readonly<
  Partial<Record<"turn_id" | "ref" | "body", string>>
>;

const logged = (type: string, when: string, { session = "new.session", ...columns }: Columns): string =>
  `CREATE TRIGGER ${type}_logged AFTER ${when} BEGIN
    INSERT INTO new_event (session, type, ${Object.keys(columns).join(", ")})
      VALUES (${session}, '${type}', ${Object.values(columns).join(", ")});
  END`;

/** The session's values as they are after it: whoever reads several of these needs the last one only. */
const chosen = `json_object('cwd', new.cwd, 'title', new.title, 'runtime', new.runtime, 'model', new.model, 'effort', new.effort)`;

const eventTable: readonly string[] = [
  // The last number that was given; it outlives the events, which are pruned.
  `ALTER TABLE session ADD COLUMN events INTEGER NOT NULL DEFAULT 0`,
  // No reference to the session: that one was deleted is an event, too.
  `CREATE TABLE event (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn_id TEXT,
    ref TEXT,
    body TEXT,
    at INTEGER NOT NULL,
    UNIQUE (session, number)
  ) STRICT`,
  `CREATE TRIGGER event_unchanged BEFORE UPDATE ON event BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
  END`,
  // The only way to append: it gives the session's next number. A session that is gone gets nothing.
  `CREATE VIEW new_event AS SELECT session, type, turn_id, ref, body, at FROM event`,
  `CREATE TRIGGER event_numbered INSTEAD OF INSERT ON new_event BEGIN
    UPDATE session SET events = events + 1 WHERE id = new.session;
    INSERT INTO event (session, number, type, turn_id, ref, body, at)
      SELECT id, events, new.type, new.turn_id, new.ref, new.body, new.at FROM session WHERE id = new.session;
  END`,
  // By which cursors of another home are told apart.
  `INSERT INTO meta (key, value) VALUES ('home', lower(hex(randomblob(6))))`,
];

const sessionEvents: readonly string[] = [
  logged("began", "INSERT ON session", { session: "new.id", at: "new.created_at" }),
  logged(
    "changed",
    `UPDATE OF cwd, title, runtime, model, effort ON session
    WHEN (new.cwd, new.title, new.runtime, new.model, new.effort)
      IS NOT (old.cwd, old.title, old.runtime, old.model, old.effort)`,
    { session: "new.id", at: now, body: chosen },
  ),
  `CREATE TRIGGER deleted_logged AFTER DELETE ON session BEGIN
    DELETE FROM event WHERE session = old.id;
    INSERT INTO event (session, number, type, at) VALUES (old.id, old.events + 1, 'deleted', ${now});
  END`,
  logged("compacted", "INSERT ON compaction", { at: "new.at" }),
  logged("uncompacted", "DELETE ON compaction", { session: "old.session", at: now }),
];

/** Copies in a fork have epoch 0 and are no events: they happened elsewhere. */
const turnEvents: readonly string[] = [
  logged("started", "INSERT ON turn WHEN new.epoch > 0", {
    at: "new.started_at",
    turn_id: "new.id",
    ref: "new.inbox_id",
  }),
  logged("ended", "UPDATE OF state ON turn WHEN old.state = 'open' AND new.state <> 'open'", {
    at: "new.ended_at",
    turn_id: "new.id",
  }),
  logged("undone", "UPDATE OF undone ON turn WHEN old.undone IS NULL AND new.undone IS NOT NULL", {
    at: now,
    turn_id: "new.id",
  }),
  logged("redone", "UPDATE OF undone ON turn WHEN old.undone IS NOT NULL AND new.undone IS NULL", {
    at: now,
    turn_id: "new.id",
  }),
  logged("steered", "UPDATE OF state ON inbox WHEN new.state = 'steered' AND old.state <> 'steered'", {
    at: now,
    turn_id: "new.turn_id",
    ref: "new.id",
  }),
  logged("item", "INSERT ON item WHEN (SELECT epoch FROM turn WHERE id = new.turn_id) > 0", {
    session: "(SELECT session FROM turn WHERE id = new.turn_id)",
    at: "new.at",
    turn_id: "new.turn_id",
    ref: "new.item_id",
  }),
];

const questionEvents = (table: "approval" | "inquiry"): readonly string[] => [
  logged(`${table}_asked`, `INSERT ON ${table} WHEN new.state = 'pending'`, {
    at: "new.asked_at",
    turn_id: "new.turn_id",
    ref: "new.id",
  }),
  logged(
    `${table}_closed`,
    `UPDATE OF state ON ${table} WHEN old.state = 'pending' AND new.state <> 'pending'`,
    { at: "new.decided_at", turn_id: "new.turn_id", ref: "new.id" },
  ),
];

export const eventStep: readonly string[] = [
  ...eventTable,
  ...sessionEvents,
  ...turnEvents,
  ...questionEvents("approval"),
  ...questionEvents("inquiry"),
];
