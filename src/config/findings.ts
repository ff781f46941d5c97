import { FaultError } from "../core/faults.ts";

export type SourcePosition = { readonly file: string; readonly line?: number; readonly column?: number };

/** Something about a setting that a person should know. `file` may also name a variable or an option. */
export type Finding = SourcePosition & { readonly key?: string; readonly message: string };

/** A setting that was ignored or is risky; the program goes on. */
export type ConfigWarning = Finding;

/** One line: `/home/ada/.talaria/config.yaml:3:1: memory: has no effect in this version`. */
export function findingText(finding: Finding): string {
  const place = [finding.file, finding.line, finding.column].filter((part) => part !== undefined).join(":");
  return [place, finding.key, finding.message].filter((part) => part !== undefined).join(": ");
}

/** All problems at once, so that a person can fix them in one go. */
export function configFault(problems: readonly Finding[], next: string, cause?: unknown): FaultError {
  return new FaultError({ code: "config", message: problems.map(findingText).join("\n"), next }, cause);
}
