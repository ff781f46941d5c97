const oneOf = (column: string, ...words: readonly string[]): string =>
  `CHECK (${column} IN (${words.map((word) => `'${word}'`).join(", ")}))`;

/** A column that is added cannot be NOT NULL without a default, and a default would make somebody of nobody. */
const required = (table: string, columns: readonly string[], message: string): string =>
  `CREATE TRIGGER ${table}_${columns[0]}_required BEFORE INSERT ON ${table}
    WHEN ${columns.map((column) => `new.${column} IS NULL`).join(" OR ")}
  BEGIN
    SELECT RAISE(ABORT, '${message}');
  END`;

const unchanged = (table: string, columns: readonly string[], message: string): string =>
  `CREATE TRIGGER ${table}_${columns[0]}_unchanged BEFORE UPDATE OF ${columns.join(", ")} ON ${table}
    WHEN (${columns.map((column) => `new.${column}`).join(", ")})
      IS NOT (${columns.map((column) => `old.${column}`).join(", ")})
  BEGIN
    SELECT RAISE(ABORT, '${message}');
  END`;

const sender = ["from_surface", "from_id", "from_role", "from_local"];

/** Rows that are there already: what Talaria does by itself it did for its owner, and nobody else could come in but programs. */
const ownersRows = `surface IN ('cli', 'tui', 'acp', 'delegate', 'codex', 'fork')`;
const elsewhere = `CASE surface WHEN 'mcp' THEN 'program' ELSE 'guest' END`;

/** Who an input is from, with whom a session is held, and whose turn a question belongs to. */
export const principalStep: readonly string[] = [
  `ALTER TABLE session ADD COLUMN audience TEXT ${oneOf("audience", "owner", "members", "guests")}`,
  `UPDATE session SET audience = 'owner'`,
  required("session", ["audience"], "a session says with whom it is held"),
  unchanged("session", ["audience"], "with whom a session is held does not change"),
  `CREATE TRIGGER session_audience_inherited BEFORE INSERT ON session
    WHEN new.audience IS NOT (SELECT audience FROM session WHERE id = new.parent) AND new.parent IS NOT NULL
  BEGIN
    SELECT RAISE(ABORT, 'what a session begins is held with the same people');
  END`,

  `ALTER TABLE inbox ADD COLUMN from_surface TEXT`,
  `ALTER TABLE inbox ADD COLUMN from_id TEXT`,
  `ALTER TABLE inbox ADD COLUMN from_name TEXT`,
  `ALTER TABLE inbox ADD COLUMN from_role TEXT ${oneOf("from_role", "owner", "member", "guest", "program")}`,
  `ALTER TABLE inbox ADD COLUMN from_local INTEGER CHECK (from_local IN (0, 1))`,
  `UPDATE inbox SET from_surface = surface, from_id = 'owner', from_role = 'owner', from_local = 1 WHERE ${ownersRows}`,
  `UPDATE inbox SET from_surface = surface, from_id = account, from_role = ${elsewhere}, from_local = 0
    WHERE from_role IS NULL`,
  required("inbox", sender, "an input says who it is from"),
  unchanged("inbox", [...sender, "from_name"], "who an input is from does not change"),
  `CREATE TRIGGER inbox_sender_belongs BEFORE INSERT ON inbox
    WHEN new.from_role IN ('member', 'guest') AND EXISTS (
      SELECT 1 FROM session WHERE id = new.session
        AND (audience = 'owner' OR (audience = 'members' AND new.from_role = 'guest'))
    )
  BEGIN
    SELECT RAISE(ABORT, 'a session takes input only from those it is held with');
  END`,

  `ALTER TABLE approval ADD COLUMN asker TEXT CHECK (json_valid(asker))`,
  `UPDATE approval SET asker =
    json_object('surface', surface, 'id', 'owner', 'role', 'owner', 'local', json('true')) WHERE ${ownersRows}`,
  `UPDATE approval SET asker =
    json_object('surface', surface, 'id', '', 'role', ${elsewhere}, 'local', json('false')) WHERE asker IS NULL`,
  required("approval", ["asker"], "a question says whose turn it belongs to"),
  unchanged("approval", ["asker"], "what was asked does not change"),

  `CREATE TRIGGER turn_of_guests BEFORE INSERT ON turn
    WHEN new.runtime <> 'loop' AND 'guests' = (SELECT audience FROM session WHERE id = new.session)
  BEGIN
    SELECT RAISE(ABORT, 'a session with guests runs on the loop');
  END`,
];
