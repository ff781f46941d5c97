import { Refusal } from "../../core/host.ts";
import { GuardedFileError, holderOf } from "../../lib/guarded-file/guarded-file-error.ts";

/** Why a file could not be written, as a message for the person who wanted the change. */
export function asRefusal(file: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof GuardedFileError) return guarded(file, error);
  const why = error instanceof Error ? error.message : String(error);
  return new Refusal(
    "storage",
    `${file} could not be written: ${why}.`,
    "Check that there is room on the disk and that you may write to Talaria's home.",
    error,
  );
}

function guarded(file: string, error: GuardedFileError): Refusal {
  const { trouble } = error;
  switch (trouble.kind) {
    case "locked":
      return new Refusal(
        "busy",
        `${file} was not changed: ${holderOf(trouble.pid)} is writing memory or skills, and holds ${trouble.lock}.`,
        `Try again in a moment. If no Talaria runs, delete ${trouble.lock}.`,
        error,
      );
    case "restless":
      return new Refusal("busy", `${file} was not changed: somebody keeps saving it.`, "Try again.", error);
    case "unreadable":
      return new Refusal(
        "config",
        `${file} cannot be read: ${trouble.why}.`,
        "Correct it in an editor, or move it away.",
        error,
      );
  }
}

export const readOnly = (file: string): Refusal =>
  new Refusal(
    "refused",
    `${file} was not changed: it is read-only.`,
    "If Talaria may change it, make it writable with chmod u+w.",
  );
