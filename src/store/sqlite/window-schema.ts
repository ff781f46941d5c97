import type { Step } from "../schema/step.ts";

/** A part of a session is found without looking at the rest of it. SQLite's indexes have the row's number as their end anyway. */
export const windowStep: Step = [
  `CREATE INDEX turn_undone ON turn (session) WHERE undone IS NOT NULL`,
  { postgres: `CREATE INDEX turn_in_order ON turn (session, seq)` },
  { postgres: `DROP INDEX turn_session` },
  { postgres: `CREATE INDEX message_in_order ON message (session, seq)` },
  { postgres: `DROP INDEX message_session` },
];
