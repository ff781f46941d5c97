/** Why a turn failed, as a closed list: a surface can act on each, and none is "unknown". */
export const faultCodes = [
  "auth", // the provider does not accept the key or login
  "quota", // the plan or budget is used up until a known or unknown time
  "rate_limited", // too many requests just now
  "overloaded", // the provider cannot serve anybody just now
  "context_full", // the conversation is longer than the model can read
  "network", // the address was not reached, or the connection broke
  "refused", // the provider or a policy will not do this
  "lost", // the runtime died under us
  "protocol", // the other side said something we cannot use
  "config", // a setting is missing or wrong
  "storage", // our own store cannot write (disk full, no permission)
  "bug", // ours
] as const;

export type FaultCode = (typeof faultCodes)[number];

/** An expected failure. `message` says what happened and why, `next` what the person can do. */
export type Fault = { readonly code: FaultCode; readonly message: string; readonly next: string };

/** Thrown only where no turn exists yet to carry the fault (opening the host, admitting input). */
export class FaultError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault, cause?: unknown) {
    super(fault.message, { cause });
    this.name = "FaultError";
    this.fault = fault;
  }
}

/** Last resort for an exception nobody expected. `next` asks for a report because only we can fix it. */
export const bugFault = (error: unknown): Fault => ({
  code: "bug",
  message: `Talaria hit an unexpected error: ${error instanceof Error ? error.message : String(error)}`,
  next: "Try again; if it happens again, please report it with the output of `talaria doctor`.",
});
