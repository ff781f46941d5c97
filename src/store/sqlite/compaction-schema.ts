/** How models are given the older part of a session. Rows are added and removed, never changed; they go with the session. */
export const compactionStep: readonly string[] = [
  `CREATE TABLE compaction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    up_to INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    previous INTEGER,
    at INTEGER NOT NULL,
    model TEXT,
    focus TEXT,
    pinned TEXT NOT NULL,
    summary TEXT,
    CHECK (up_to <= seen)
  ) STRICT`,
  `CREATE INDEX compaction_session ON compaction (session)`,
  `CREATE TRIGGER compaction_unchanged BEFORE UPDATE ON compaction BEGIN
    SELECT RAISE(ABORT, 'compactions are not changed');
  END`,
  `CREATE TABLE pin (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    line TEXT NOT NULL,
    UNIQUE (session, line)
  ) STRICT`,
];
