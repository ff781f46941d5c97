/**
 * What a runtime keeps with a turn is one value, which only that runtime reads. Codex's two names were columns. What it
 * did by itself has none: nobody can say whether the thread knew all that was said before.
 */
export const sideStep: readonly string[] = [
  `ALTER TABLE turn ADD COLUMN side TEXT CHECK (side IS NULL OR json_valid(side))`,
  `UPDATE turn SET side = json_object('thread', thread, 'turn', codex_turn) WHERE thread IS NOT NULL
    AND inbox_id NOT IN (SELECT id FROM inbox WHERE surface = 'codex')`,
  `ALTER TABLE turn DROP COLUMN thread`,
  `ALTER TABLE turn DROP COLUMN codex_turn`,
];
