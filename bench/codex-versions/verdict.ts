import type { TestResult } from "./run-suite.ts";

/** How one version did. What it cannot do by itself is a capability of the suites, with its own expected result. */
export type VersionResult = {
  readonly version: string;
  readonly passed: number;
  readonly failed: readonly { readonly name: string; readonly why: string }[];
};

export const judge = (version: string, results: readonly TestResult[]): VersionResult => ({
  version,
  passed: results.filter(({ passed }) => passed).length,
  failed: results.flatMap((result) =>
    result.passed ? [] : [{ name: result.name, why: result.why.slice(0, 200) }],
  ),
});

export function table(all: readonly VersionResult[]): string {
  const rows = all.flatMap(({ version, passed, failed }) => [
    row(version, String(passed), String(failed.length)),
    ...failed.map(({ name, why }) => `    failed: ${name}\n      ${why}`),
  ]);
  return [row("codex", "passed", "failed"), ...rows].join("\n");
}

const row = (version: string, ...cells: readonly string[]): string =>
  [version.padEnd(10), ...cells.map((cell) => cell.padStart(8))].join("");
