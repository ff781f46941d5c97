/** Rows of the ledger to which a request belongs of which nobody said what it used. */
export const uncountedStep: readonly string[] = [
  `ALTER TABLE usage ADD COLUMN uncounted INTEGER CHECK (uncounted = 1)`,
  `CREATE TRIGGER usage_uncounted_unchanged BEFORE UPDATE OF uncounted ON usage BEGIN
    SELECT RAISE(ABORT, 'what was spent does not change');
  END`,
];
