/** Turns that were taken back. A mark on the turn: its rows, and what search finds, stay as they are. */
export const undoStep: readonly string[] = [
  `ALTER TABLE turn ADD COLUMN undone INTEGER CHECK (undone IS NULL OR (undone > 0 AND state <> 'open'))`,
];
