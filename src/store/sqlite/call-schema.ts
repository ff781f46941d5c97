/** Calls that were begun and have no item yet: what a crash would hide. A row goes when its item comes. */
export const callStep: readonly string[] = [
  `CREATE TABLE begun_call (
    seq INTEGER PRIMARY KEY,
    turn_id TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    item_id TEXT NOT NULL,
    body TEXT NOT NULL,
    approval_id TEXT,
    at INTEGER NOT NULL,
    UNIQUE (turn_id, item_id)
  ) STRICT`,
];
