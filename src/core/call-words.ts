import type { CallItem, OpenItem } from "./items.ts";
import { stableJson } from "./json.ts";
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
