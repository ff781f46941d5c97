/** What a runtime keeps with a turn is one value, which only that runtime reads. Codex's two names were columns. */
export const sideStep: readonly string[] = [
  `ALTER TABLE turn ADD COLUMN side TEXT CHECK (side IS NULL OR json_valid(side))`,
  `UPDATE turn SET side = json_object('thread', thread, 'turn', codex_turn) WHERE thread IS NOT NULL`,
  `ALTER TABLE turn DROP COLUMN thread`,
  `ALTER TABLE turn DROP COLUMN codex_turn`,
];
