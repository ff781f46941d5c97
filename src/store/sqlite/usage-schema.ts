/** The ledger of costs. It outlives sessions and turns: what was spent stays spent. */
export const usageStep: readonly string[] = [
  `CREATE TABLE usage (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session TEXT REFERENCES session (id) ON DELETE SET NULL,
    turn_id TEXT REFERENCES turn (id) ON DELETE SET NULL,
    cause TEXT NOT NULL,
    runtime TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input INTEGER NOT NULL CHECK (input >= 0),
    cached INTEGER NOT NULL CHECK (cached BETWEEN 0 AND input),
    output INTEGER NOT NULL CHECK (output >= 0),
    reasoning INTEGER NOT NULL CHECK (reasoning BETWEEN 0 AND output),
    cost_nano INTEGER CHECK (cost_nano >= 0),
    CHECK (cause = 'turn' OR turn_id IS NULL)
  ) STRICT`,
  `CREATE INDEX usage_at ON usage (at)`,
  `CREATE INDEX usage_session ON usage (session)`,
  // A turn is in the ledger once, whatever crashes.
  `CREATE UNIQUE INDEX usage_turn ON usage (turn_id, provider, model)`,
  // A row only forgets whose it was, when that is deleted.
  `CREATE TRIGGER usage_unchanged BEFORE UPDATE ON usage
    WHEN (new.session IS NOT NULL AND new.session IS NOT old.session)
      OR (new.turn_id IS NOT NULL AND new.turn_id IS NOT old.turn_id)
      OR (
        new.seq, new.at, new.cause, new.runtime, new.provider, new.model, new.input, new.cached, new.output,
        new.reasoning, new.cost_nano
      ) IS NOT (
        old.seq, old.at, old.cause, old.runtime, old.provider, old.model, old.input, old.cached, old.output,
        old.reasoning, old.cost_nano
      )
  BEGIN
    SELECT RAISE(ABORT, 'what was spent does not change');
  END`,
  `CREATE TRIGGER usage_kept BEFORE DELETE ON usage BEGIN
    SELECT RAISE(ABORT, 'what was spent is kept');
  END`,
];
