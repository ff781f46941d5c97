import { FaultError, bugFault } from "./faults.ts";
import { Refusal } from "./host.ts";

/** Why something did not happen, outside of a turn. */
export type Failure = { readonly code: string; readonly message: string; readonly next: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof Refusal) return { code: error.code, message: error.message, next: error.next };
  if (error instanceof FaultError) return error.fault;
  return fullDisk(error) ?? bugFault(error);
}

/** Wherever something is written: it is nobody's mistake, and everybody can do something about it. */
function fullDisk(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code !== "ENOSPC" && error.code !== "EDQUOT") return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return {
    code: "storage",
    message: `There is no space left${path === undefined ? "" : ` to write ${path}`} (${error.message}).`,
    next: `Free space on the disk that holds ${path === undefined ? "Talaria's home" : "this file"}, then try again.`,
  };
}
