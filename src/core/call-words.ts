import type { CallItem, OpenItem } from "./items.ts";
import { type Json, isPlainObject, stableJson } from "./json.ts";
import { clean, short } from "./plain-text.ts";

/** A call that has begun, in one plain line. */
export const beginLine = ({ tool, args }: Pick<OpenItem, "tool" | "args">): string =>
  `▸ ${clean(tool ?? "tool")} ${short(stableJson(args ?? {}), 100)}`;

/** And how it ended. */
export function callLine({ tool, ok, exitCode, durationMs, output }: CallItem): string {
  const how = ok ? "done" : exitCode === undefined ? "failed" : `exit ${exitCode}`;
  const time = durationMs === undefined ? "" : ` in ${Math.round(durationMs)} ms`;
  return `  ${clean(tool)} ${how}${time}${ok ? "" : `: ${short(output, 160)}`}`;
}

/** Codex runs everything through a login shell; a person knows the command without it. */
export function withoutShell(command: string): string {
  const found = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh -l?c (?:'([^']*)'|([^\s'"\\$]+))$/.exec(command);
  return found?.[1] ?? found?.[2] ?? command;
}

/** The arguments of a tool that nobody knows more about: the only one if it is a text, else all as JSON. */
export function argumentWords(args: Json | undefined): string {
  if (args === undefined) return "";
  const values = isPlainObject(args) ? Object.values(args) : [args];
  const [only] = values;
  if (values.length === 0) return "";
  if (values.length === 1 && typeof only === "string") return only;
  try {
    return stableJson(args);
  } catch {
    return "(arguments that are nested too deep)";
  }
}
