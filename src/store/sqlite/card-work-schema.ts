import type { Step } from "../schema/step.ts";

/** What holds for attempts at a card. How many cards models have made is counted without looking at all of them. */
export const cardWorkStep: Step = [
  `ALTER TABLE card ADD COLUMN terms TEXT`,
  `ALTER TABLE card ADD COLUMN by_model INTEGER NOT NULL DEFAULT 0 CHECK (by_model IN (0, 1))`,
  `CREATE INDEX card_by_model ON card (created_at) WHERE by_model = 1`,
  `CREATE INDEX card_run_session ON card_run (session) WHERE session IS NOT NULL`,
];
