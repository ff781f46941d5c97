import type { FuzzReport } from "./fuzz-run.ts";

/** How much memory may rise over the whole run, after its warm-up. */
export const mostRise = 64 * 1024 * 1024;

/** Everything that speaks against the run, in words. Memory is not looked at. */
export function faultsIn(report: Omit<FuzzReport, "memory">): readonly string[] {
  const { mutations, retired, broken, unhandled, wrongResolves, planted } = report;
  const unused = Object.entries(mutations).filter(([, count]) => count === 0);
  const ends = ["garbage", "line-too-long", "exit", "closed"].filter(
    (reason) => retired[reason] === undefined,
  );
  return [
    ...unused.map(([kind]) => `no line was mutated by ${kind}`),
    ...ends.map((reason) => `no connection ended by ${reason}`),
    ...Object.entries(broken).map(([what, count]) => `${what}: ${count}`),
    ...unhandled,
    ...(wrongResolves > 0 ? [`${wrongResolves} requests were ended by what was no answer to them`] : []),
    ...(planted === 0 ? ["no request of ours was answered"] : []),
  ];
}
