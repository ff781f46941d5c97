import type { Step } from "../schema/step.ts";

/** What a turn, a list or a start asks must not take longer for all that was said before. */
export const growthStep: Step = [
  `CREATE INDEX session_newest ON session (updated_at, id) WHERE parent IS NULL`,
  `CREATE INDEX session_of_folder ON session (cwd, updated_at, id) WHERE parent IS NULL`,
  `DROP INDEX session_activity`,
  `CREATE INDEX review_newest ON review (session, seq)`,
];
