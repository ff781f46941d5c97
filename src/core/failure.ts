import { FaultError, bugFault } from "./faults.ts";
import { Refusal } from "./host.ts";

/** Why something did not happen, outside of a turn. */
export type Failure = { readonly code: string; readonly message: string; readonly next: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof Refusal) return { code: error.code, message: error.message, next: error.next };
  if (error instanceof FaultError) return error.fault;
  return bugFault(error);
}
