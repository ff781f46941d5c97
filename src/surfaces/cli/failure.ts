import type { Writable } from "node:stream";
import { FaultError, bugFault } from "../../core/faults.ts";
import { Refusal } from "../../core/host.ts";
import type { ExitCode } from "./ports.ts";

/** A failure before a turn exists. */
export type Failure = { readonly code: string; readonly message: string; readonly next: string };

/** Wrong words on the command line. */
export const usage = (message: string, next = "See `talaria --help`."): Refusal =>
  new Refusal("usage", message, next);

export function toFailure(error: unknown): Failure {
  if (error instanceof Refusal) return { code: error.code, message: error.message, next: error.next };
  if (error instanceof FaultError) return error.fault;
  return bugFault(error);
}

/** One clear message where the person, or the program that started us, looks for it. */
export function reportFailure(
  error: unknown,
  out: { readonly json: boolean; readonly stdout: Writable; readonly stderr: Writable },
): ExitCode {
  const failure = toFailure(error);
  if (out.json) out.stdout.write(`${JSON.stringify({ type: "error", ...failure })}\n`);
  if (!out.json) out.stderr.write(`talaria: ${failure.message}\n         ${failure.next}\n`);
  return exitCodeOf(failure.code);
}

export function exitCodeOf(code: string): ExitCode {
  if (code === "busy") return 3;
  return code === "usage" || code === "config" || code === "not_found" ? 2 : 1;
}
