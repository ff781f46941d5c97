import { readFileSync } from "node:fs";
import { type ProcessIdentity, selfIdentity } from "./process-identity.ts";
import { processRows } from "./process-table.ts";

/**
 * An environment variable, written `NAME=value`, by which everything that a child has started can be found again, also
 * what left its group and lost its parent. Only where /proc shows environments.
 */
export type Mark = string;

let marks = 0;

/** A mark for one child of ours. */
export function newMark(name: string): Mark {
  marks += 1;
  return `${ownerMark(name, selfIdentity())}${marks}`;
}

/** What the marks of all children of one process begin with. */
export const ownerMark = (name: string, { pid, startTime }: ProcessIdentity): string =>
  `${name}=${pid}.${startTime}.`;

/** The mark of this name that a process carries. */
export const markOf = (pid: number, name: string): Mark | undefined =>
  environment(pid).find((entry) => entry.startsWith(`${name}=`));

export const hasMark = (pid: number, mark: Mark): boolean => environment(pid).includes(mark);

/** Everybody alive whose mark begins so, except ourselves. */
export function markedProcesses(beginning: string): readonly ProcessIdentity[] {
  return processRows().filter(
    ({ pid, zombie }) =>
      !zombie && pid !== process.pid && environment(pid).some((entry) => entry.startsWith(beginning)),
  );
}

function environment(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // it has ended, is somebody else's, or there is no /proc
  }
}
