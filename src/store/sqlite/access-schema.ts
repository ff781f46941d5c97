/** Who may come in over HTTP, and what programs call their requests and chats. Of keys and codes there are only hashes. */
export const accessStep: readonly string[] = [
  `CREATE TABLE access_key (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    budget TEXT CHECK (budget IS NULL OR json_valid(budget)),
    created_at INTEGER NOT NULL,
    used_at INTEGER,
    revoked_at INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX access_key_name ON access_key (name) WHERE revoked_at IS NULL`,
  `CREATE TRIGGER access_key_revoked_for_good BEFORE UPDATE OF revoked_at ON access_key
    WHEN old.revoked_at IS NOT NULL AND new.revoked_at IS NOT old.revoked_at
  BEGIN
    SELECT RAISE(ABORT, 'what was revoked stays so');
  END`,
  `CREATE TRIGGER access_key_unchanged BEFORE UPDATE ON access_key
    WHEN (new.id, new.hash, new.scopes) IS NOT (old.id, old.hash, old.scopes)
  BEGIN
    SELECT RAISE(ABORT, 'what a key allows does not change');
  END`,

  `CREATE TABLE device (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    code TEXT UNIQUE,
    code_until INTEGER,
    cookie TEXT,
    token TEXT,
    created_at INTEGER NOT NULL,
    let_in_at INTEGER,
    used_at INTEGER,
    revoked_at INTEGER,
    CHECK ((let_in_at IS NULL) = (cookie IS NULL) AND (cookie IS NULL) = (token IS NULL)),
    CHECK (code IS NULL OR cookie IS NULL)
  ) STRICT`,
  `CREATE TRIGGER device_revoked_for_good BEFORE UPDATE OF revoked_at ON device
    WHEN old.revoked_at IS NOT NULL AND new.revoked_at IS NOT old.revoked_at
  BEGIN
    SELECT RAISE(ABORT, 'what was revoked stays so');
  END`,

  `CREATE TABLE own_name (
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (account, kind, name)
  ) STRICT`,

  // Turns of a key are looked for by who sent them.
  `CREATE INDEX inbox_sender ON inbox (from_surface, from_id, received_at)`,

  `ALTER TABLE session ADD COLUMN mark TEXT CHECK (mark IN ('ephemeral', 'hidden'))`,
];
