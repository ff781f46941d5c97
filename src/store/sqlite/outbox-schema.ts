import type { Step } from "../schema/step.ts";

/** Where a row may go from where it is. What is settled stays. */
const moves = {
  pending: ["sending", "refused", "dead"],
  sending: ["sent", "refused", "pending", "ambiguous", "dead"],
  refused: ["sending", "pending", "dead"],
  ambiguous: ["pending", "sent", "dead"],
};

const listed = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(", ");

const allowed = Object.entries(moves)
  .map(([from, to]) => `(old.state = '${from}' AND new.state IN (${listed(to)}))`)
  .join("\n      OR ");

/**
 * What was there is put aside and comes back by the new rules: what was being sent when its process ended may have arrived. Its old
 * table goes before the new one is made, so that PostgreSQL gives the numbers of the new one the same name as in a new store.
 */
const putAside: Step = [
  `CREATE TABLE old_outbox (
    seq INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    surface TEXT NOT NULL,
    chat TEXT NOT NULL,
    body TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    platform_id TEXT
  ) STRICT`,
  `INSERT INTO old_outbox (seq, turn_id, part, surface, chat, body, body_hash, state, attempts, platform_id)
    SELECT seq, turn_id, part, surface, chat, body, body_hash, state, attempts, platform_id FROM outbox`,
  `DROP TABLE outbox`,
];

const tables: Step = [
  // No rank: its place in the line is its own number. Parts of a cut answer have that of the answer.
  `CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    turn_id TEXT REFERENCES turn (id) ON DELETE SET NULL,
    surface TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    reply_to TEXT,
    about TEXT,
    rank INTEGER,
    part INTEGER NOT NULL CHECK (part >= 0),
    body TEXT CHECK (body IS NULL OR json_valid(body)),
    body_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'refused', 'ambiguous', 'dead')),
    until INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    platform_id TEXT,
    why TEXT,
    at INTEGER NOT NULL,
    settled_at INTEGER,
    is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
    CHECK (state <> 'sent' OR platform_id IS NOT NULL),
    CHECK ((state IN ('sent', 'dead')) = (settled_at IS NOT NULL)),
    CHECK (body IS NOT NULL OR state IN ('sent', 'dead'))
  ) STRICT`,
  `CREATE INDEX outbox_state ON outbox (state)`,
  `CREATE INDEX outbox_of_bot ON outbox (surface, account, state)`,
  `CREATE INDEX outbox_turn ON outbox (turn_id)`,
  `CREATE INDEX outbox_about ON outbox (about) WHERE about IS NOT NULL`,
  `CREATE INDEX outbox_platform ON outbox (platform_id) WHERE platform_id IS NOT NULL`,
  `CREATE INDEX outbox_open ON outbox (surface, account, state) WHERE is_open = 1`,
  `CREATE INDEX outbox_bodies ON outbox (settled_at) WHERE body IS NOT NULL`,
  `CREATE UNIQUE INDEX outbox_place ON outbox (coalesce(rank, seq), part)`,
  `CREATE UNIQUE INDEX outbox_one_at_a_time ON outbox (surface, account, chat) WHERE state = 'sending'`,
];

const broughtBack: Step = [
  `INSERT INTO outbox (
      id, turn_id, surface, account, chat, reply_to, part, body, body_hash, state, attempts, platform_id, why, at, settled_at
    )
    SELECT 'obx_00000000' || (10000000000 + o.seq), o.turn_id, o.surface, inbox.account, o.chat, inbox.msg_id, o.part,
      CAST(json_object('kind', 'answer', 'markdown', o.body) AS TEXT), o.body_hash,
      CASE o.state WHEN 'unknown' THEN 'ambiguous' WHEN 'sending' THEN 'ambiguous' WHEN 'failed' THEN 'dead' ELSE o.state END,
      o.attempts,
      CASE WHEN o.state = 'sent' THEN coalesce(o.platform_id, 'unknown') ELSE o.platform_id END,
      CASE WHEN o.state IN ('unknown', 'sending') THEN 'An earlier version did not hear whether it arrived.'
        WHEN o.state = 'failed' THEN 'An earlier version could not send it.' END,
      coalesce(turn.ended_at, turn.started_at),
      CASE WHEN o.state IN ('sent', 'failed') THEN coalesce(turn.ended_at, turn.started_at) END
    FROM old_outbox AS o JOIN turn ON turn.id = o.turn_id JOIN inbox ON inbox.id = turn.inbox_id
    ORDER BY o.seq`,
  `DROP TABLE old_outbox`,
];

const rules: Step = [
  `CREATE TRIGGER outbox_moves BEFORE UPDATE OF state ON outbox
    WHEN new.state <> old.state AND NOT (${allowed})
  BEGIN
    SELECT RAISE(ABORT, 'from where it is, it cannot go there');
  END`,
  `CREATE TRIGGER outbox_settled_once BEFORE UPDATE ON outbox
    WHEN old.state IN ('sent', 'dead') AND
      (new.until, new.attempts, new.platform_id, new.why, new.settled_at, new.body_hash)
      IS NOT (old.until, old.attempts, old.platform_id, old.why, old.settled_at, old.body_hash)
  BEGIN
    SELECT RAISE(ABORT, 'what became of a message does not change');
  END`,
  `CREATE TRIGGER outbox_unchanged BEFORE UPDATE ON outbox
    WHEN (new.seq, new.id, new.surface, new.account, new.chat, new.reply_to, new.about, new.rank, new.part, new.at)
      IS NOT (old.seq, old.id, old.surface, old.account, old.chat, old.reply_to, old.about, old.rank, old.part, old.at)
      OR (new.turn_id IS NOT NULL AND new.turn_id IS NOT old.turn_id)
      OR new.is_open > old.is_open
  BEGIN
    SELECT RAISE(ABORT, 'where a message goes does not change');
  END`,
  // It is forgotten when it is settled, or cut while it waits.
  `CREATE TRIGGER outbox_body_unchanged BEFORE UPDATE OF body ON outbox
    WHEN new.body IS NOT old.body
      AND NOT (new.body IS NULL AND old.state IN ('sent', 'dead'))
      AND NOT (old.state = 'pending' AND new.state = 'pending' AND json_extract(old.body, '$.kind') = 'answer')
  BEGIN
    SELECT RAISE(ABORT, 'what is said does not change');
  END`,
  `CREATE TRIGGER outbox_kept BEFORE DELETE ON outbox
  BEGIN
    SELECT RAISE(ABORT, 'what was sent to chats is kept');
  END`,
  // The words of a session go with it; that something was sent, and where, is still known.
  `CREATE TRIGGER outbox_of_deleted AFTER UPDATE OF turn_id ON outbox WHEN old.turn_id IS NOT NULL AND new.turn_id IS NULL
  BEGIN
    UPDATE outbox SET body = NULL WHERE seq = new.seq AND state IN ('sent', 'dead');
  END`,
];

/** What goes out to chats: one row for each part. */
export const outboxStep: Step = [...putAside, ...tables, ...broughtBack, ...rules];
