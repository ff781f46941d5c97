import type { Row } from "./hostile-run.ts";

/** Which attack came to nothing, and what the person read about it. */
export const table = (rows: readonly Row[]): string =>
  rows
    .map(({ kind, name, runtime, told, faults }) =>
      [
        kind.padEnd(12),
        name.padEnd(26),
        runtime.padEnd(6),
        faults.length === 0 ? "held" : "BROKEN",
        told,
      ].join(" "),
    )
    .join("\n");
