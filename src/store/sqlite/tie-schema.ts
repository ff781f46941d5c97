/** What a lasting yes is tied to besides the words. One that was given before has no such files, and is tied to none. */
export const tieStep: readonly string[] = [
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
