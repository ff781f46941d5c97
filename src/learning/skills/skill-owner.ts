import type { RevisionId } from "../../core/ids.ts";
import type { Author } from "../../core/learning.ts";
import type { RevisionTable } from "../../store/schema/learning-tables.ts";
import { activeSince } from "../files/bookkeeping.ts";

/**
 * Who made a file that is there, as far as its revisions know. One that is not in them was made by a person, and so was
 * one that stands where they know of none any more.
 */
export async function authorOf(revisions: Pick<RevisionTable, "list">, file: string): Promise<Author> {
  const known = await revisions.list({ file, states: ["active"], limit: 200 });
  const takenBack = new Set<RevisionId>();
  for (const row of known.toSorted((a, b) => activeSince(b) - activeSince(a))) {
    const { id, by, before, after, reverts } = row;
    if (reverts !== undefined) takenBack.add(reverts);
    if (before === undefined && after !== undefined && reverts === undefined) return by;
    if (before !== undefined && after === undefined && !takenBack.has(id)) return "person";
  }
  return "person";
}
