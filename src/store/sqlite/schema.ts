import { approvalStep } from "./approval-schema.ts";
import { callStep } from "./call-schema.ts";
import { compactionStep } from "./compaction-schema.ts";
import { learningStep } from "./learning-schema.ts";
import { tieStep } from "./tie-schema.ts";
import { postponeStep } from "./postpone-schema.ts";
import { runningStep } from "./running-schema.ts";
import { toolStep } from "./tool-schema.ts";
import { undoStep } from "./undo-schema.ts";
import { uncountedStep } from "./uncounted-schema.ts";
import { usageStep } from "./usage-schema.ts";

/**
 * The schema as steps. A released step never changes; a new one is added at the end.
 * Rules that must hold whatever the program does are constraints and triggers, not code.
 */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,

    `CREATE TABLE session (
      id TEXT PRIMARY KEY,
      cwd TEXT NOT NULL,
      surface TEXT NOT NULL,
      title TEXT,
      runtime TEXT,
      model TEXT,
      effort TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX session_activity ON session (updated_at)`,

    `CREATE TABLE inbox (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      surface TEXT NOT NULL,
      account TEXT NOT NULL,
      chat TEXT NOT NULL,
      msg_id TEXT NOT NULL,
      session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
      body TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'started', 'steered', 'unconfirmed', 'kept')),
      turn_id TEXT,
      told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
      UNIQUE (surface, account, chat, msg_id)
    ) STRICT`,
    `CREATE INDEX inbox_session ON inbox (session, state)`,
    `CREATE INDEX inbox_state ON inbox (state)`,

    `CREATE TABLE turn (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
      inbox_id TEXT NOT NULL UNIQUE REFERENCES inbox (id) ON DELETE CASCADE,
      epoch INTEGER NOT NULL,
      runtime TEXT NOT NULL,
      cwd TEXT NOT NULL,
      model TEXT,
      thread TEXT,
      codex_turn TEXT,
      state TEXT NOT NULL CHECK (state IN ('open', 'done', 'interrupted', 'failed', 'unconfirmed')),
      fault TEXT,
      usage TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      told INTEGER NOT NULL DEFAULT 1 CHECK (told IN (0, 1)),
      CHECK ((state = 'open') = (ended_at IS NULL))
    ) STRICT`,
    `CREATE INDEX turn_session ON turn (session)`,
    `CREATE UNIQUE INDEX turn_open ON turn (session) WHERE state = 'open'`,

    `CREATE TABLE item (
      seq INTEGER PRIMARY KEY,
      turn_id TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
      item_id TEXT NOT NULL,
      body TEXT NOT NULL,
      at INTEGER NOT NULL,
      UNIQUE (turn_id, item_id)
    ) STRICT`,

    `CREATE TABLE message (
      seq INTEGER PRIMARY KEY,
      session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
      turn_id TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
      item_id TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
      at INTEGER NOT NULL,
      content TEXT NOT NULL,
      parts TEXT,
      tool_calls TEXT,
      tool_call_id TEXT,
      reasoning TEXT,
      UNIQUE (turn_id, item_id, role)
    ) STRICT`,
    `CREATE INDEX message_session ON message (session)`,

    `CREATE VIRTUAL TABLE message_words USING fts5 (
      content, content = 'message', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
    )`,
    `CREATE VIRTUAL TABLE message_trigrams USING fts5 (
      content, content = 'message', content_rowid = 'seq', tokenize = 'trigram remove_diacritics 1'
    )`,
    `CREATE TRIGGER message_indexed AFTER INSERT ON message BEGIN
      INSERT INTO message_words (rowid, content) VALUES (new.seq, new.content);
      INSERT INTO message_trigrams (rowid, content) VALUES (new.seq, new.content);
    END`,
    `CREATE TRIGGER message_unindexed AFTER DELETE ON message BEGIN
      INSERT INTO message_words (message_words, rowid, content) VALUES ('delete', old.seq, old.content);
      INSERT INTO message_trigrams (message_trigrams, rowid, content) VALUES ('delete', old.seq, old.content);
    END`,

    `CREATE TRIGGER message_unchanged BEFORE UPDATE ON message BEGIN
      SELECT RAISE(ABORT, 'messages are append-only');
    END`,
    // When a session is deleted its own row goes first, so its messages may follow.
    `CREATE TRIGGER message_kept BEFORE DELETE ON message
      WHEN EXISTS (SELECT 1 FROM session WHERE id = old.session)
    BEGIN
      SELECT RAISE(ABORT, 'messages go only with their session');
    END`,

    `CREATE TABLE outbox (
      seq INTEGER PRIMARY KEY,
      turn_id TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
      part INTEGER NOT NULL,
      surface TEXT NOT NULL,
      chat TEXT NOT NULL,
      body TEXT NOT NULL,
      body_hash TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'failed')),
      attempts INTEGER NOT NULL DEFAULT 0,
      platform_id TEXT,
      UNIQUE (turn_id, part)
    ) STRICT`,
    `CREATE INDEX outbox_state ON outbox (state)`,

    // No reference to the session: the lease of a new session is taken before its first input is admitted.
    `CREATE TABLE lease (
      session TEXT PRIMARY KEY,
      host TEXT,
      pid INTEGER,
      start_time TEXT,
      epoch INTEGER NOT NULL,
      heartbeat INTEGER NOT NULL,
      CHECK ((host IS NULL) = (pid IS NULL) AND (pid IS NULL) = (start_time IS NULL))
    ) STRICT`,

    `CREATE TABLE binding (
      session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
      runtime TEXT NOT NULL,
      cwd TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (session, runtime, cwd)
    ) STRICT`,

    `CREATE TABLE process (
      pid INTEGER NOT NULL,
      start_time TEXT NOT NULL,
      kind TEXT NOT NULL,
      owner_host TEXT NOT NULL,
      owner_pid INTEGER NOT NULL,
      owner_start_time TEXT NOT NULL,
      PRIMARY KEY (pid, start_time)
    ) STRICT`,
  ],
  approvalStep,
  usageStep,
  compactionStep,
  undoStep,
  toolStep,
  learningStep,
  callStep,
  tieStep,
  uncountedStep,
  runningStep,
  postponeStep,
];
