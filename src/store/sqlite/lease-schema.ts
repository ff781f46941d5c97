/**
 * Leases by name: a session's (`session:<id>`), and those of whoever does what only one may do at a time (`Duty`). All
 * that were there are of sessions.
 */
export const leaseStep: readonly string[] = [
  `ALTER TABLE lease RENAME COLUMN session TO name`,
  `UPDATE lease SET name = 'session:' || name`,
];
