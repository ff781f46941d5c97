import { FaultError } from "../../../core/faults.ts";
import { Refusal } from "../../../core/host.ts";
import { type GuardedFileError, holderOf } from "../../../lib/guarded-file/guarded-file-error.ts";

/** The file is not one that we may change. It is as it was. */
export const refused = (message: string, next: string, cause?: unknown): FaultError =>
  new FaultError({ code: "config", message: `${message} Nothing was changed.`, next }, cause);

/** Why codex's settings could not be guarded while they are written, in the words of a person who wanted that. */
export function unguarded(error: GuardedFileError): Refusal | FaultError {
  const { path, trouble } = error;
  switch (trouble.kind) {
    case "locked":
      return new Refusal(
        "busy",
        `Another Talaria is writing to codex's settings: ${holderOf(trouble.pid)} holds ${trouble.lock}. Nothing was changed.`,
        `Try again in a moment. If no Talaria runs, delete ${trouble.lock}.`,
        error,
      );
    case "restless":
      return new Refusal(
        "busy",
        `${path} changes all the time. Nothing was changed.`,
        "Try again in a moment.",
        error,
      );
    case "unreadable":
      return refused(
        `${path} cannot be read: ${trouble.why}.`,
        "Correct that, or CODEX_HOME, and run this again.",
        error,
      );
  }
}
