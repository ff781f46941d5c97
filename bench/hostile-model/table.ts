import type { Row } from "./hostile-run.ts";

/** Which attack came to nothing, and what the person read about it. */
export const table = (rows: readonly Row[]): string =>
  rows
    .map((row) =>
      [row.kind.padEnd(12), row.name.padEnd(26), row.runtime.padEnd(6), state(row), row.told].join(" "),
    )
    .join("\n");

function state({ faults, leaked }: Row): string {
  if (faults.length > 0) return "BROKEN";
  return leaked.length > 0 ? "OPEN  " : "held  ";
}
