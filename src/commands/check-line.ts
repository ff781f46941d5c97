import type { Check } from "../core/host.ts";

/** One line of `doctor`, and the next step below it. */
export const checkLine = ({ name, ok, detail, next }: Check): string =>
  `${ok ? "ok  " : "FAIL"} ${name}: ${detail}${next === undefined ? "" : `\n     → ${next}`}`;
