import { FaultError } from "../core/faults.ts";
import { Refusal } from "../core/host.ts";

/** Why something was not done, as the reply to a command. What nobody expected is thrown on. */
export function inWords(error: unknown): string {
  if (error instanceof Refusal) return `${error.message} ${error.next}`;
  if (error instanceof FaultError) return `${error.fault.message} ${error.fault.next}`;
  throw error;
}
