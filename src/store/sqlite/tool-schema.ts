/** What tools keep: sessions that a session began, its list of things to do, and tools of MCP servers as first seen. */
export const toolStep: readonly string[] = [
  `ALTER TABLE session ADD COLUMN parent TEXT REFERENCES session (id) ON DELETE CASCADE`,
  `CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL`,

  // One row for each turn that changed the list, so that taking a turn back brings the older list back.
  `CREATE TABLE todo (
    seq INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    list TEXT NOT NULL,
    UNIQUE (session, turn_id)
  ) STRICT`,

  `CREATE TABLE mcp_tool (
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    definition TEXT NOT NULL,
    approved_at INTEGER NOT NULL,
    seen_hash TEXT NOT NULL,
    seen_definition TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (server, name)
  ) STRICT`,
];
