import { isAlive } from "../lib/process/process-identity.ts";
import { type Clock } from "../lib/clock.ts";
import { ownerMark } from "../lib/process/process-mark.ts";
import { sweep, sweepMarked } from "../lib/process/process-tree.ts";
import { childVariable } from "../runtimes/codex/process/child-variable.ts";
import type { ChildRecord } from "../store/schema/process-tables.ts";
import type { Owner, Store } from "../store/store.ts";

type IsGone = (owner: Owner) => boolean;

/** Children of a process that is gone, which still run. */
export const runningOrphans = async (
  store: Pick<Store, "processes">,
  isGone: IsGone,
): Promise<readonly ChildRecord[]> =>
  (await store.processes.list()).filter((child) => isGone(child.owner) && isAlive(child));

/** Children of a process that is gone must not go on. Resolves with how many there were, and how many are gone now. */
export async function endOrphans(
  store: Pick<Store, "processes">,
  isGone: IsGone,
  clock: Clock,
): Promise<{ readonly found: number; readonly ended: number }> {
  const orphans = (await store.processes.list()).filter((child) => isGone(child.owner));
  if (orphans.length === 0) return { found: 0, ended: 0 };
  // One that could not be ended stays in the table, for the next start and for doctor.
  const ended = await sweep(orphans, clock);
  // What a child has started may have left its group, and is found by its mark.
  const marks = new Set(orphans.map(({ owner }) => ownerMark(childVariable, owner)));
  await Promise.all([...marks].map((mark) => sweepMarked(mark, clock)));
  for (const child of ended) await store.processes.remove(child);
  return { found: orphans.length, ended: ended.length };
}
