/**
 * Questions, their answers and standing grants. Long texts stand last in a row, so that looking through the others does
 * not read them.
 */
export const approvalStep: readonly string[] = [
  `CREATE TABLE approval (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    runtime TEXT NOT NULL,
    surface TEXT NOT NULL,
    hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN (
      'pending', 'once', 'session', 'always', 'denied', 'expired', 'withdrawn', 'allowed', 'refused'
    )),
    why TEXT,
    decided_by TEXT,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL,
    told INTEGER NOT NULL DEFAULT 1 CHECK (told IN (0, 1)),
    choices TEXT NOT NULL,
    labels TEXT NOT NULL,
    reason TEXT,
    shown TEXT NOT NULL,
    question TEXT NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state = 'pending') = (why IS NULL))
  ) STRICT`,
  `CREATE INDEX approval_session ON approval (session)`,
  `CREATE INDEX approval_pending ON approval (state) WHERE state = 'pending'`,
  // Most rows were decided without a question; nobody looks for those by what they were about.
  `CREATE INDEX approval_asked ON approval (session, hash) WHERE state NOT IN ('pending', 'allowed', 'refused')`,
  `CREATE INDEX approval_untold ON approval (session) WHERE told = 0`,

  `CREATE TRIGGER approval_question_unchanged BEFORE UPDATE ON approval
    WHEN (
      new.seq, new.id, new.session, new.turn_id, new.runtime, new.surface, new.hash, new.asked_at, new.expires_at,
      new.owner_host, new.owner_pid, new.owner_start_time, new.choices, new.labels, new.shown, new.question
    ) IS NOT (
      old.seq, old.id, old.session, old.turn_id, old.runtime, old.surface, old.hash, old.asked_at, old.expires_at,
      old.owner_host, old.owner_pid, old.owner_start_time, old.choices, old.labels, old.shown, old.question
    )
  BEGIN
    SELECT RAISE(ABORT, 'what was asked does not change');
  END`,
  `CREATE TRIGGER approval_decided_once BEFORE UPDATE ON approval
    WHEN old.state <> 'pending' AND (new.state, new.why, new.decided_by, new.reason, new.decided_at)
      IS NOT (old.state, old.why, old.decided_by, old.reason, old.decided_at)
  BEGIN
    SELECT RAISE(ABORT, 'a decision does not change');
  END`,
  // When a session is deleted its own row goes first, so its questions may follow.
  `CREATE TRIGGER approval_kept BEFORE DELETE ON approval
    WHEN EXISTS (SELECT 1 FROM session WHERE id = old.session)
  BEGIN
    SELECT RAISE(ABORT, 'questions go only with their session');
  END`,

  `CREATE TABLE inquiry (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'answered', 'declined', 'expired', 'withdrawn')),
    decided_by TEXT,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER,
    owner_host TEXT NOT NULL,
    owner_pid INTEGER NOT NULL,
    owner_start_time TEXT NOT NULL,
    answers TEXT,
    form TEXT NOT NULL,
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state = 'answered') = (answers IS NOT NULL))
  ) STRICT`,
  `CREATE INDEX inquiry_session ON inquiry (session)`,
  `CREATE INDEX inquiry_pending ON inquiry (state) WHERE state = 'pending'`,
  `CREATE TRIGGER inquiry_closed_once BEFORE UPDATE ON inquiry WHEN old.state <> 'pending'
  BEGIN
    SELECT RAISE(ABORT, 'an answer does not change');
  END`,

  `CREATE TABLE grant_rule (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('session', 'always', 'work')),
    session TEXT REFERENCES session (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    summary TEXT NOT NULL,
    tool TEXT NOT NULL,
    cwd TEXT NOT NULL,
    made_by TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER,
    uses_left INTEGER CHECK (uses_left >= 0),
    revoked_at INTEGER,
    CHECK ((scope = 'always') = (session IS NULL))
  ) STRICT`,
  `CREATE INDEX grant_rule_session ON grant_rule (session)`,
  `CREATE INDEX grant_rule_live ON grant_rule (hash) WHERE revoked_at IS NULL`,
  `CREATE TRIGGER grant_rule_only_shrinks BEFORE UPDATE ON grant_rule
    WHEN old.revoked_at IS NOT NULL
      OR (old.uses_left IS NULL) <> (new.uses_left IS NULL)
      OR new.uses_left > old.uses_left
      OR (
        new.seq, new.id, new.scope, new.session, new.hash, new.summary, new.tool, new.cwd, new.made_by, new.made_at,
        new.expires_at
      ) IS NOT (
        old.seq, old.id, old.scope, old.session, old.hash, old.summary, old.tool, old.cwd, old.made_by, old.made_at,
        old.expires_at
      )
  BEGIN
    SELECT RAISE(ABORT, 'a grant can only be used or revoked');
  END`,
];
