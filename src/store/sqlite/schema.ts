import type { Engine } from "../engine.ts";
import { type Step, statementsFor } from "../schema/step.ts";
import { wholeSchema, wholeSchemaVersion } from "../schema/whole-schema.ts";
import { accessStep } from "./access-schema.ts";
import { activityStep } from "./activity-schema.ts";
import { approvalStep } from "./approval-schema.ts";
import { cardStep } from "./card-schema.ts";
import { cardWorkStep } from "./card-work-schema.ts";
import { eventStep } from "./event-schema.ts";
import { gatewayStep } from "./gateway-schema.ts";
import { goalStep } from "./goal-schema.ts";
import { growthStep } from "./growth-schema.ts";
import { learningStep } from "./learning-schema.ts";
import { leaseStep } from "./lease-schema.ts";
import { machineStep } from "./machine-schema.ts";
import { principalStep } from "./principal-schema.ts";
import { sideStep } from "./side-schema.ts";
import { spentForStep } from "./spent-for-schema.ts";
import { toolStep } from "./tool-schema.ts";
import { usageStep } from "./usage-schema.ts";
import { windowStep } from "./window-schema.ts";
import { openSpendStep, workStep } from "./work-schema.ts";

/** Turns that were taken back. A mark on the turn: its rows, and what search finds, stay as they are. */
const undoStep: readonly string[] = [
  `ALTER TABLE turn ADD COLUMN undone INTEGER CHECK (undone IS NULL OR (undone > 0 AND state <> 'open'))`,
];

/** Rows of the ledger to which a request belongs of which nobody said what it used. */
const uncountedStep: readonly string[] = [
  `ALTER TABLE usage ADD COLUMN uncounted INTEGER CHECK (uncounted = 1)`,
  `CREATE TRIGGER usage_uncounted_unchanged BEFORE UPDATE OF uncounted ON usage BEGIN
    SELECT RAISE(ABORT, 'what was spent does not change');
  END`,
];

/** What a lasting yes is tied to besides the words. One that was given before has no such files, and is tied to none. */
const tieStep: readonly string[] = [
  `ALTER TABLE grant_rule ADD COLUMN bound TEXT CHECK (bound IS NULL OR json_valid(bound))`,
  `ALTER TABLE approval ADD COLUMN bound TEXT CHECK (bound IS NULL OR json_valid(bound))`,
  `CREATE TRIGGER grant_rule_bound_unchanged BEFORE UPDATE ON grant_rule WHEN new.bound IS NOT old.bound
  BEGIN
    SELECT RAISE(ABORT, 'what a grant is tied to does not change');
  END`,
  `CREATE TRIGGER approval_bound_unchanged BEFORE UPDATE ON approval WHEN new.bound IS NOT old.bound
  BEGIN
    SELECT RAISE(ABORT, 'what was asked does not change');
  END`,
];

/** What turns have left running, for each process that ran them: a start after its end tells the person of it. */
const runningStep: readonly string[] = [
  `CREATE TABLE left_running (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL,
    list TEXT NOT NULL,
    PRIMARY KEY (session, owner_host, owner_pid, owner_start_time)
  ) STRICT`,
];

/** Until when a question waits can change while it is open: its time does not run while somebody has it before them. */
const postponeStep: readonly string[] = [
  `DROP TRIGGER approval_question_unchanged`,
  `CREATE TRIGGER approval_question_unchanged BEFORE UPDATE ON approval
    WHEN (
      new.seq, new.id, new.session, new.turn_id, new.runtime, new.surface, new.hash, new.asked_at,
      new.owner_host, new.owner_pid, new.owner_start_time, new.choices, new.labels, new.shown, new.question
    ) IS NOT (
      old.seq, old.id, old.session, old.turn_id, old.runtime, old.surface, old.hash, old.asked_at,
      old.owner_host, old.owner_pid, old.owner_start_time, old.choices, old.labels, old.shown, old.question
    )
  BEGIN
    SELECT RAISE(ABORT, 'what was asked does not change');
  END`,
  `CREATE TRIGGER approval_time_unchanged BEFORE UPDATE ON approval
    WHEN new.expires_at IS NOT old.expires_at AND old.state <> 'pending'
  BEGIN
    SELECT RAISE(ABORT, 'until when a question waited does not change');
  END`,
];

/** How models are given the older part of a session. Rows are added and removed, never changed; they go with the session. */
const compactionStep: readonly string[] = [
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

/** Calls that were begun and have no item yet: what a crash would hide. A row goes when its item comes. */
const callStep: readonly string[] = [
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

/** The schema as steps, for both engines: `Step` says how one is written. A released step never changes; a new one is added at the end. */
export const steps: readonly Step[] = [
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
  leaseStep,
  eventStep,
  principalStep,
  sideStep,
  activityStep,
  growthStep,
  machineStep,
  windowStep,
  spentForStep,
  accessStep,
  goalStep,
  cardStep,
  workStep,
  cardWorkStep,
  gatewayStep,
  openSpendStep,
];

export const migrations: Engine["migrations"] = steps.map((step) => statementsFor("sqlite", step));

export const whole: Engine["whole"] = {
  version: wholeSchemaVersion,
  statements: statementsFor("sqlite", wholeSchema),
};
