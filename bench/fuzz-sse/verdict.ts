import type { FuzzReport } from "./fuzz-run.ts";

/** How much memory may rise over the whole run, after its warm-up. */
export const mostRise = 64 * 1024 * 1024;

/** Everything that speaks against the run, in words. Memory is not looked at. */
export function faultsIn({ mutations, ends, broken, unhandled }: FuzzReport): readonly string[] {
  const unused = Object.entries(mutations).filter(([, count]) => count === 0);
  const missing = ["completed", "network", "protocol"].filter((end) => ends[end] === undefined);
  return [
    ...unused.map(([kind]) => `no stream was mutated by ${kind}`),
    ...missing.map((end) => `no stream ended as ${end}`),
    ...Object.entries(broken).map(([what, count]) => `${what}: ${count}`),
    ...unhandled,
  ];
}
