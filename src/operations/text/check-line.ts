import type { Check } from "../../core/host.ts";

/** One line of `doctor`, and the next step below it. */
export const checkLine = (check: Check): string =>
  `${markOf(check)} ${check.name}: ${check.detail}${check.next === undefined ? "" : `\n     → ${check.next}`}`;

function markOf({ ok, level }: Check): string {
  if (!ok) return "FAIL";
  return level === "note" ? "note" : "ok  ";
}
