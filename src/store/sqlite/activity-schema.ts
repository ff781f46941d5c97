/** What every turn would have to write or look for in statements of its own. */
export const activityStep: readonly string[] = [
  // The end of a turn is activity of its session.
  `CREATE TRIGGER turn_ended_active AFTER UPDATE OF state ON turn WHEN old.state = 'open' AND new.state <> 'open'
  BEGIN
    UPDATE session SET updated_at = new.ended_at WHERE id = new.session;
  END`,
  `CREATE INDEX turn_untold ON turn (session) WHERE told = 0`,
];
