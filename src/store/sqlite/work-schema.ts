import { origins } from "../../core/work/work.ts";
import type { Step } from "../schema/step.ts";

const oneOf = (...words: readonly string[]): string => words.map((word) => `'${word}'`).join(", ");

/** Of rows that are there already, by where they came in. */
const originOf = (surface: string): string => `CASE
    WHEN ${surface} IN ('cli', 'tui', 'acp', 'fork', 'codex') THEN 'typed'
    WHEN ${surface} IN ('delegate', 'goal', 'webhook') THEN ${surface}
    WHEN ${surface} IN ('api', 'mcp', 'web') THEN 'api'
    ELSE 'chat'
  END`;

/** Work that nobody typed: when it is due, what it belongs to, what became of it, and what it may cost. */
export const workStep: Step = [
  `ALTER TABLE inbox ADD COLUMN origin TEXT CHECK (origin IN (${oneOf(...origins)}))`,
  `ALTER TABLE inbox ADD COLUMN subject TEXT`,
  `ALTER TABLE inbox ADD COLUMN due_at INTEGER`,
  `ALTER TABLE inbox ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1 CHECK (attempt > 0)`,
  `ALTER TABLE inbox ADD COLUMN terms TEXT CHECK (terms IS NULL OR json_valid(terms))`,
  `UPDATE inbox SET origin = ${originOf("surface")}`,
  // Here, and not where rows are made: no way in can forget it.
  `CREATE TRIGGER inbox_origin AFTER INSERT ON inbox WHEN new.origin IS NULL
  BEGIN
    UPDATE inbox SET origin = ${originOf("new.surface")} WHERE seq = new.seq;
  END`,
  `CREATE TRIGGER inbox_work_unchanged BEFORE UPDATE OF origin, subject, due_at, attempt, terms ON inbox
    WHEN old.origin IS NOT NULL AND
      (new.origin, new.subject, new.due_at, new.attempt, new.terms)
      IS NOT (old.origin, old.subject, old.due_at, old.attempt, old.terms)
  BEGIN
    SELECT RAISE(ABORT, 'what an input is for does not change');
  END`,
  `CREATE INDEX inbox_due ON inbox (due_at) WHERE state = 'waiting' AND due_at IS NOT NULL`,

  `CREATE TABLE schedule (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    timing TEXT NOT NULL CHECK (json_valid(timing)),
    job TEXT NOT NULL CHECK (json_valid(job)),
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'removed')),
    why TEXT,
    made_by TEXT NOT NULL CHECK (json_valid(made_by)),
    made_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    depth INTEGER NOT NULL CHECK (depth IN (1, 2)),
    by_model INTEGER NOT NULL CHECK (by_model IN (0, 1)),
    revision INTEGER NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX schedule_name ON schedule (name) WHERE state <> 'removed'`,
  `CREATE TRIGGER schedule_removed_for_good BEFORE UPDATE ON schedule WHEN old.state = 'removed'
  BEGIN
    SELECT RAISE(ABORT, 'what was removed stays so');
  END`,
  `CREATE TRIGGER schedule_maker_unchanged BEFORE UPDATE ON schedule
    WHEN (new.made_by, new.made_at, new.depth, new.by_model)
      IS NOT (old.made_by, old.made_at, old.depth, old.by_model)
  BEGIN
    SELECT RAISE(ABORT, 'who made a schedule does not change');
  END`,

  // No reference to session or inbox: what became of something stays when they are deleted.
  `CREATE TABLE outcome (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('schedule', 'manual', 'alert', 'card', 'goal', 'review', 'delegate', 'batch')),
    subject TEXT NOT NULL,
    instant INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('planned', 'ran', 'skipped', 'missed', 'refused', 'failed')),
    reason TEXT,
    late_ms INTEGER NOT NULL,
    inbox TEXT,
    session TEXT,
    at INTEGER NOT NULL,
    settled_at INTEGER,
    target TEXT NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('none', 'pending', 'delivered', 'silent', 'failed')),
    receipt TEXT,
    UNIQUE (kind, subject, instant),
    CHECK ((state = 'planned') = (settled_at IS NULL))
  ) STRICT`,
  `CREATE INDEX outcome_subject ON outcome (subject, instant)`,
  `CREATE INDEX outcome_planned ON outcome (seq) WHERE state = 'planned'`,
  `CREATE INDEX outcome_untold ON outcome (delivery, target, seq) WHERE delivery = 'pending'`,
  `CREATE INDEX outcome_inbox ON outcome (inbox) WHERE inbox IS NOT NULL`,
  `CREATE TRIGGER outcome_settled_once BEFORE UPDATE ON outcome
    WHEN (old.state <> 'planned' AND (new.state, new.reason, new.settled_at) IS NOT (old.state, old.reason, old.settled_at))
      OR (new.id, new.kind, new.subject, new.instant) IS NOT (old.id, old.kind, old.subject, old.instant)
  BEGIN
    SELECT RAISE(ABORT, 'what became of something does not change');
  END`,
  `CREATE TRIGGER outcome_kept BEFORE DELETE ON outcome
  BEGIN
    SELECT RAISE(ABORT, 'what became of something is kept');
  END`,

  // What work has taken of its budgets: as much as it may take while it runs, then what it took.
  `CREATE TABLE work_spend (
    inbox TEXT PRIMARY KEY,
    origin TEXT NOT NULL CHECK (origin IN (${oneOf(...origins)})),
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_nano INTEGER NOT NULL,
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1))
  ) STRICT`,
  `CREATE INDEX work_spend_at ON work_spend (at)`,
];

/** What a crash has left reserved is looked for at every start. */
export const openSpendStep: Step = [
  `CREATE INDEX work_spend_open ON work_spend (origin, at) WHERE is_open = 1`,
];
