/** What was learned, how it came about, and what it was good for. */
export const learningStep: readonly string[] = [
  // Words of a deleted session leave the index at once, not some day when it is tidied up.
  `INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1)`,
  `INSERT INTO message_trigrams (message_trigrams, rank) VALUES ('secure-delete', 1)`,

  // No reference to the session: what was learned stays when the conversation it came from is deleted.
  `CREATE TABLE revision (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'skill')),
    file TEXT NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('person', 'agent', 'review', 'curator')),
    session TEXT,
    turn_id TEXT,
    trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('writing', 'active', 'proposed', 'rejected', 'failed')),
    why TEXT,
    reverts TEXT,
    decided_at INTEGER,
    decided_by TEXT,
    summary TEXT NOT NULL,
    evidence TEXT NOT NULL,
    change TEXT NOT NULL,
    before TEXT,
    after TEXT
  ) STRICT`,
  `CREATE INDEX revision_file ON revision (file, seq)`,
  `CREATE INDEX revision_state ON revision (state)`,
  `CREATE TRIGGER revision_settled BEFORE UPDATE ON revision
    WHEN old.state IN ('active', 'rejected', 'failed') AND new.state <> old.state
  BEGIN
    SELECT RAISE(ABORT, 'what became of a revision does not change');
  END`,

  `CREATE TABLE review (
    seq INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'skills')),
    up_to TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
    tokens INTEGER NOT NULL DEFAULT 0,
    result TEXT,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX review_session ON review (session, kind, seq)`,

  `CREATE TABLE learned_use (
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'skill')),
    name TEXT NOT NULL,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, name, turn_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX learned_use_session ON learned_use (session)`,

  // What a session's model was told of memory and skills when it began, so that it stays the same to the byte.
  `CREATE TABLE snapshot (
    session TEXT PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    text TEXT NOT NULL
  ) STRICT`,
];
