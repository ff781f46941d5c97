import type { Step } from "../schema/step.ts";

/** The two refer to each other, and both only when everything of a change is written. SQLite cannot add a key later. */
const cardTable = (alsoHere: string): string => `CREATE TABLE card (
    id TEXT PRIMARY KEY,
    board TEXT NOT NULL REFERENCES board (name),
    title TEXT NOT NULL,
    body TEXT,
    state TEXT NOT NULL
      CHECK (state IN ('triage', 'todo', 'ready', 'running', 'blocked', 'review', 'done', 'archived')),
    priority INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    runtime TEXT,
    model TEXT,
    block_kind TEXT CHECK (block_kind IN ('needs_input', 'capability', 'transient', 'gave_up')),
    block_reason TEXT,
    block_releaser TEXT CHECK (block_releaser IN ('person', 'time')),
    block_until INTEGER,
    last_block TEXT,
    failures INTEGER NOT NULL,
    failure_limit INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    run TEXT UNIQUE,
    made_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    done_at INTEGER,
    moved_by TEXT NOT NULL
      CHECK (moved_by IN ('person', 'orchestrator', 'worker', 'dispatcher', 'time', 'parents')),
    moved_run TEXT,
    CHECK ((state = 'running') = (run IS NOT NULL)),
    CHECK (run IS NULL OR run = id || '.' || epoch),
    CHECK ((state = 'blocked') = (block_kind IS NOT NULL)),
    CHECK ((block_kind IS NULL) = (block_reason IS NULL) AND (block_kind IS NULL) = (block_releaser IS NULL)),
    CHECK ((block_until IS NOT NULL) = (coalesce(block_releaser, '') = 'time')),
    CHECK (state <> 'done' OR done_at IS NOT NULL),
    CHECK (done_at IS NULL OR state IN ('done', 'archived'))${alsoHere}
  ) STRICT`;

const currentRun = `FOREIGN KEY (run) REFERENCES card_run (open_id) DEFERRABLE INITIALLY DEFERRED`;

const refused = (name: string, on: string, when: string, message: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${on} WHEN ${when}
  BEGIN
    SELECT RAISE(ABORT, '${message}');
  END`;

const openParent = `EXISTS (
  SELECT 1 FROM card_link JOIN card AS parent ON parent.id = card_link.parent
  WHERE card_link.child = new.id AND parent.done_at IS NULL
)`;

const allowed = `(new.moved_by = 'person'
  OR (old.block_releaser = 'time' AND new.moved_by = 'time' AND new.changed_at >= old.block_until))`;

const tables: Step = [
  `CREATE TABLE board (
    name TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
  ) STRICT`,
  { sqlite: cardTable(`,\n    ${currentRun}`), postgres: cardTable("") },
  `CREATE INDEX card_shown ON card (board, state, priority)`,
  `CREATE INDEX card_released_by_time ON card (block_until) WHERE block_until IS NOT NULL`,

  `CREATE TABLE card_link (
    parent TEXT NOT NULL REFERENCES card (id),
    child TEXT NOT NULL REFERENCES card (id),
    PRIMARY KEY (child, parent)
  ) STRICT`,
  `CREATE INDEX card_link_down ON card_link (parent)`,

  // A run has its own id in open_id while it is under way, and the card has it in run: neither can say so alone.
  `CREATE TABLE card_run (
    id TEXT PRIMARY KEY,
    card TEXT NOT NULL REFERENCES card (id),
    epoch INTEGER NOT NULL,
    open_id TEXT UNIQUE REFERENCES card (run) DEFERRABLE INITIALLY DEFERRED,
    owner_host TEXT,
    owner_pid INTEGER,
    owner_start_time TEXT,
    session TEXT,
    claimed_at INTEGER NOT NULL,
    heartbeat_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT CHECK (outcome IN
      ('completed', 'blocked', 'no_verdict', 'crashed', 'timed_out', 'spawn_failed', 'reclaimed')),
    summary TEXT,
    error TEXT,
    evidence TEXT CHECK (evidence IS NULL OR json_valid(evidence)),
    UNIQUE (card, epoch),
    CHECK (id = card || '.' || epoch),
    CHECK (open_id IS NULL OR open_id = id),
    CHECK ((open_id IS NULL) = (ended_at IS NOT NULL) AND (ended_at IS NULL) = (outcome IS NULL)),
    CHECK (ended_at IS NOT NULL OR owner_pid IS NOT NULL)
  ) STRICT`,
  `CREATE UNIQUE INDEX card_run_open ON card_run (card) WHERE ended_at IS NULL`,
  { postgres: `ALTER TABLE card ADD ${currentRun}` },

  `CREATE TABLE card_comment (
    seq INTEGER PRIMARY KEY,
    card TEXT NOT NULL REFERENCES card (id),
    at INTEGER NOT NULL,
    by_name TEXT NOT NULL,
    run TEXT REFERENCES card_run (id),
    text TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX card_comment_of ON card_comment (card, seq)`,

  `CREATE TABLE card_event (
    seq INTEGER PRIMARY KEY,
    card TEXT NOT NULL REFERENCES card (id),
    at INTEGER NOT NULL,
    what TEXT NOT NULL,
    by_name TEXT NOT NULL,
    run TEXT,
    from_state TEXT,
    to_state TEXT NOT NULL,
    detail TEXT
  ) STRICT`,
  `CREATE INDEX card_event_of ON card_event (card, seq)`,
];

const rules: Step = [
  refused(
    "card_of_its_board",
    "UPDATE ON card",
    "(new.id, new.board, new.made_by, new.created_at) IS NOT (old.id, old.board, old.made_by, old.created_at)",
    "a card stays what it was made as",
  ),
  refused(
    "card_worker_fenced",
    "UPDATE ON card",
    "new.moved_by = 'worker' AND (old.run IS NULL OR new.moved_run IS NOT old.run)",
    "a worker writes only while its run is the current one",
  ),
  refused(
    "card_orchestrator_moves_nothing",
    "UPDATE ON card",
    "new.moved_by = 'orchestrator' AND new.state <> old.state",
    "an orchestrator moves no card",
  ),
  refused(
    "card_released",
    "UPDATE ON card",
    `old.state = 'blocked' AND new.state <> 'blocked' AND NOT ${allowed}`,
    "a block is released only by its releaser",
  ),
  refused(
    "card_left_by_people",
    "UPDATE ON card",
    "old.state IN ('triage', 'review', 'done', 'archived') AND new.state <> old.state AND new.moved_by <> 'person'",
    "only a person moves it on from here",
  ),
  refused(
    "card_claimed",
    "UPDATE ON card",
    "new.run IS NOT NULL AND new.run IS NOT old.run AND (old.state <> 'ready' OR new.moved_by <> 'dispatcher')",
    "only a card that is ready can be claimed",
  ),
  refused("card_epoch_counts_up", "UPDATE ON card", "new.epoch < old.epoch", "an epoch never goes back"),
  refused(
    "card_gated",
    "UPDATE ON card",
    `new.state = 'ready' AND ${openParent}`,
    "a card is ready only when all that it waits for is done",
  ),
  refused(
    "card_reopened",
    "UPDATE ON card",
    `old.done_at IS NOT NULL AND new.done_at IS NULL AND EXISTS (
      SELECT 1 FROM card_link JOIN card AS child ON child.id = card_link.child
      WHERE card_link.parent = new.id AND child.state = 'ready'
    )`,
    "cards that wait for it cannot be ready",
  ),
  refused(
    "card_link_on_one_board",
    "INSERT ON card_link",
    `(SELECT board FROM card WHERE id = new.parent) IS NOT (SELECT board FROM card WHERE id = new.child)`,
    "linked cards are on one board",
  ),
  refused(
    "card_link_gates",
    "INSERT ON card_link",
    `EXISTS (SELECT 1 FROM card WHERE id = new.parent AND done_at IS NULL)
      AND EXISTS (SELECT 1 FROM card WHERE id = new.child AND state IN ('ready', 'running'))`,
    "a card that waits for another is not ready",
  ),
  refused(
    "card_link_no_cycle",
    "INSERT ON card_link",
    `new.parent = new.child OR EXISTS (
      WITH RECURSIVE below (id) AS (
        SELECT new.child UNION SELECT card_link.child FROM card_link JOIN below ON card_link.parent = below.id
      )
      SELECT 1 FROM below WHERE below.id = new.parent
    )`,
    "cards cannot wait for each other",
  ),
  refused(
    "card_run_next",
    "INSERT ON card_run",
    "new.epoch IS NOT (SELECT epoch + 1 FROM card WHERE id = new.card)",
    "a run has the next epoch of its card",
  ),
  refused(
    "card_run_over",
    "UPDATE ON card_run",
    "old.ended_at IS NOT NULL",
    "a run that ended stays as it is",
  ),
  refused(
    "card_run_is_its_own",
    "UPDATE ON card_run",
    "(new.id, new.card, new.epoch, new.claimed_at) IS NOT (old.id, old.card, old.epoch, old.claimed_at)",
    "a run stays what it was begun as",
  ),
  refused(
    "card_comment_fenced",
    "INSERT ON card_comment",
    "new.run IS NOT NULL AND new.run IS NOT (SELECT run FROM card WHERE id = new.card)",
    "a worker writes only while its run is the current one",
  ),
];

/** Boards and cards. What may happen to a card is in src/work/cards; what must hold whatever the program does is here. */
export const cardStep: Step = [...tables, ...rules];
