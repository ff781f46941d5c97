import { isKnownGap } from "./known-gaps.ts";
import type { TestResult } from "./run-suite.ts";

/** How one version did. `failed` has no known gaps in it; those that showed are in `gaps`. */
export type VersionResult = {
  readonly version: string;
  readonly passed: number;
  readonly gaps: readonly string[];
  readonly failed: readonly { readonly name: string; readonly why: string }[];
};

export function judge(version: string, results: readonly TestResult[]): VersionResult {
  const failures = results.filter((result) => !result.passed);
  return {
    version,
    passed: results.length - failures.length,
    gaps: failures.map(({ name }) => name).filter((name) => isKnownGap(name, version)),
    failed: failures
      .filter(({ name }) => !isKnownGap(name, version))
      .map(({ name, why }) => ({ name, why: why.slice(0, 200) })),
  };
}

export function table(all: readonly VersionResult[]): string {
  const rows = all.flatMap(({ version, passed, gaps, failed }) => [
    row(version, String(passed), String(failed.length), String(gaps.length)),
    ...failed.map(({ name, why }) => `    failed: ${name}\n      ${why}`),
    ...gaps.map((name) => `    known gap: ${name}`),
  ]);
  return [row("codex", "passed", "failed", "gaps"), ...rows].join("\n");
}

const row = (version: string, ...cells: readonly string[]): string =>
  [version.padEnd(10), ...cells.map((cell) => cell.padStart(8))].join("");
