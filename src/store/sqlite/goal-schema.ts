/** What sessions work on, and what was found after each of their turns. */
export const goalStep: readonly string[] = [
  `CREATE TABLE goal (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    subgoals TEXT NOT NULL CHECK (json_valid(subgoals)),
    check_command TEXT,
    check_cwd TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'done', 'cleared')),
    why TEXT,
    told INTEGER NOT NULL DEFAULT 1,
    limits TEXT NOT NULL CHECK (json_valid(limits)),
    spent_before TEXT NOT NULL CHECK (json_valid(spent_before)),
    made_by TEXT NOT NULL CHECK (json_valid(made_by)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((check_command IS NULL) = (check_cwd IS NULL))
  ) STRICT`,
  `CREATE INDEX goal_session ON goal (session)`,
  `CREATE UNIQUE INDEX goal_open ON goal (session) WHERE state IN ('active', 'paused')`,
  `CREATE INDEX goal_untold ON goal (session) WHERE told = 0`,
  `CREATE TRIGGER goal_over_for_good BEFORE UPDATE OF state ON goal
    WHEN old.state IN ('done', 'cleared') AND new.state <> old.state
  BEGIN
    SELECT RAISE(ABORT, 'a goal that is over stays so');
  END`,
  // Its owner has allowed this command in this folder, and nothing else.
  `CREATE TRIGGER goal_check_unchanged BEFORE UPDATE ON goal
    WHEN new.check_command IS NOT old.check_command OR new.check_cwd IS NOT old.check_cwd
      OR new.made_by IS NOT old.made_by
  BEGIN
    SELECT RAISE(ABORT, 'what was allowed for a goal does not change');
  END`,

  `CREATE TABLE goal_step (
    goal TEXT NOT NULL REFERENCES goal (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    found_by TEXT NOT NULL CHECK (found_by IN ('check', 'judge', 'turn')),
    verdict TEXT NOT NULL CHECK (verdict IN ('done', 'go_on', 'failed')),
    text TEXT NOT NULL,
    exit_code INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (goal, number),
    UNIQUE (goal, turn_id)
  ) STRICT`,
];
