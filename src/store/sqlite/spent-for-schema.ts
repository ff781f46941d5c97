import type { Step } from "../schema/step.ts";

/** Of a turn, whoever it was for; of a small call, whoever spoke last in its session; of what belongs to no session, nobody. */
const roleOf = (turn: string, session: string): string => `coalesce(
    (SELECT from_role FROM inbox WHERE id = (SELECT inbox_id FROM turn WHERE id = ${turn})),
    (SELECT from_role FROM inbox WHERE session = ${session} ORDER BY seq DESC LIMIT 1)
  )`;

/** For whom money was spent, in the ledger of costs: it stays when session and turn are gone. */
export const spentForStep: Step = [
  `ALTER TABLE usage ADD COLUMN role TEXT CHECK (role IN ('owner', 'member', 'guest', 'program'))`,
  `UPDATE usage SET role = ${roleOf("usage.turn_id", "usage.session")}`,
  `CREATE TRIGGER usage_role_unchanged BEFORE UPDATE OF role ON usage
    WHEN old.role IS NOT NULL AND new.role IS NOT old.role
  BEGIN
    SELECT RAISE(ABORT, 'for whom it was spent does not change');
  END`,
  // Here, and not where rows are made: no way into the ledger can forget it.
  `CREATE TRIGGER usage_spent_for AFTER INSERT ON usage WHEN new.role IS NULL
  BEGIN
    UPDATE usage SET role = ${roleOf("new.turn_id", "new.session")} WHERE seq = new.seq;
  END`,
];
