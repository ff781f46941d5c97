import { picture } from "../hostile-paths/picture.ts";
import type { PeopleWorld } from "./world.ts";

/** Everything that is the owner's to change, as another program sees it: files, and rows of the store. */
export async function stateOf({
  kept,
  rows,
}: Pick<PeopleWorld, "kept" | "rows">): Promise<readonly string[]> {
  const files = await picture(kept);
  const held = Object.entries(ownersRows).flatMap(([what, sql]) =>
    rows(sql).map((row) => `${what}: ${JSON.stringify(row)}`),
  );
  return [...files, ...held];
}

const ownersRows = {
  person: "select surface, id, role, revoked_at from person",
  rule: "select * from grant_rule",
  schedule: "select * from schedule",
  card: "select * from card",
  goal: "select * from goal",
  key: "select * from access_key",
  revision: "select id, state from revision",
  "tool of a server": "select * from mcp_tool",
  "choice of a chat":
    "select chat, person, choices, title from chat_place where choices <> '{}' or title is not null",
  "session of the owner": "select id, audience, title, runtime from session where audience = 'owner'",
  "turn of the owner":
    "select t.id from turn t join session s on s.id = t.session where s.audience = 'owner'",
} as const;
