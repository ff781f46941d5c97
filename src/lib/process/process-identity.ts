import { hostname } from "node:os";
import { processRow } from "./process-table.ts";

/** One process, and not a later one that got the same pid. */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string };

/** Undefined: there is no such process, or it has ended. Throws if the system does not let us look. */
export function startTimeOf(pid: number): string | undefined {
  const row = processRow(pid);
  return row?.zombie === false ? row.startTime : undefined;
}

/** Process ids of two machines may be the same. */
export const isSameProcess = (
  one: ProcessIdentity & { readonly host: string },
  other: ProcessIdentity & { readonly host: string },
): boolean => one.host === other.host && one.pid === other.pid && one.startTime === other.startTime;

export const isAlive = ({ pid, startTime }: ProcessIdentity): boolean => startTimeOf(pid) === startTime;

/** Who we are, for what outlives us. In rows, which may be shared, `host` is an id (`hostIdIn`). */
export function selfIdentity(host = hostname()): ProcessIdentity & { readonly host: string } {
  const startTime = startTimeOf(process.pid);
  if (startTime === undefined)
    throw new Error(
      "Cannot find out when this process started, so others could not tell whether it is still alive. Make /proc readable, or put `ps` on the PATH.",
    );
  return { host, pid: process.pid, startTime };
}
