import type { Author } from "../../core/learning.ts";
import type { RevisionTable } from "../../store/learning-tables.ts";

/** Who made a file, as far as its revisions know. One that is not in them was made by a person. */
export async function authorOf(revisions: Pick<RevisionTable, "list">, file: string): Promise<Author> {
  const known = await revisions.list({ file, states: ["active"], limit: 200 });
  const made = known.find(
    ({ before, after, reverts }) => before === undefined && after !== undefined && reverts === undefined,
  );
  return made?.by ?? "person";
}
