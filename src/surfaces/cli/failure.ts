import type { Writable } from "node:stream";
import { toFailure } from "../../core/failure.ts";
import { Refusal } from "../../core/host.ts";
import type { ExitCode } from "./ports.ts";

/** Wrong words on the command line. */
export const usage = (message: string, next = "See `talaria --help`."): Refusal =>
  new Refusal("usage", message, next);

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
