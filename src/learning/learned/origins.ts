import type { Revision } from "../../core/learning.ts";
import { textsOf } from "../memory/entries.ts";

/** The revision that brought each entry of a file of memory in, by its text. `rows`: active ones, newest first. */
export function entryOrigins(rows: readonly Revision[]): ReadonlyMap<string, Revision> {
  const origins = new Map<string, Revision>();
  for (const row of rows.toReversed()) {
    const before = new Set(textsOf(row.before));
    for (const text of textsOf(row.after)) if (!before.has(text)) origins.set(text, row);
  }
  return origins;
}

/** When it came to be so. */
export const activeSince = ({ at, decidedAt }: Revision): number => decidedAt ?? at;
