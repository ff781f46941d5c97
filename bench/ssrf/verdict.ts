import type { Controls } from "./controls.ts";
import type { SsrfRun } from "./ssrf-run.ts";

const least = 5000;

/** Everything that speaks against the run, in words. */
export function faultsIn({ vectors, kinds, hits, letThrough, wrong, answered }: SsrfRun): readonly string[] {
  const few = Object.entries(kinds).filter(([, count]) => count < 10);
  return [
    ...(vectors < least ? [`only ${vectors} vectors were tried`] : []),
    ...few.map(([kind, count]) => `only ${count} vectors were of the kind: ${kind}`),
    ...(hits > 0 ? [`a canary was hit ${hits} times`] : []),
    ...(answered === 0 ? ["no public page was reached, so nothing was shown"] : []),
    ...letThrough.map((what) => `let through: ${what}`),
    ...wrong,
  ];
}

export const controlFaults = ({ open, tried, allowed }: Controls): readonly string[] => [
  ...(open < tried ? [`a plain request reached a canary by ${open} of ${tried} spellings only`] : []),
  ...(allowed === 1 ? [] : [`one entry of allow_private let ${allowed} connections through`]),
];
