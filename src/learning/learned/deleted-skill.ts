import { Refusal } from "../../core/host.ts";
import { isPlainObject } from "../../core/json.ts";
import type { Revision } from "../../core/learning.ts";
import type { RevisionTable } from "../../store/learning-tables.ts";
import { skillFile } from "../skills/skill-names.ts";

const mostRevisions = 2000;

/**
 * Does it to a revision. Where that deletes a skill, to those of its other files as well; one of them that somebody has
 * changed since stays as it is.
 */
export async function together(
  revisions: Pick<RevisionTable, "list">,
  row: Revision,
  act: (row: Revision) => Promise<Revision>,
): Promise<Revision> {
  const others = await alsoDeleted(revisions, row);
  const done = await act(row);
  for (const other of others)
    await act(other).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  return done;
}

/**
 * A skill is deleted file by file, its SKILL.md first. The rows of its other files, if this is the one of its SKILL.md:
 * what is decided of that is decided of all.
 */
async function alsoDeleted(
  revisions: Pick<RevisionTable, "list">,
  row: Revision,
): Promise<readonly Revision[]> {
  const { id, file, session, turn, state, at } = row;
  if (turn === undefined || !isRemoval(row) || !file.endsWith(`/${skillFile}`)) return [];
  const folder = file.slice(0, -skillFile.length);
  const rows = await revisions.list({ kind: "skill", states: [state], since: at, limit: mostRevisions });
  return rows.filter(
    (other) =>
      other.id !== id &&
      other.session === session &&
      other.turn === turn &&
      other.file.startsWith(folder) &&
      isRemoval(other),
  );
}

const isRemoval = ({ change }: Revision): boolean => isPlainObject(change) && change["action"] === "remove";
