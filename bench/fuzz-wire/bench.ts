import type { Bench } from "../bench.ts";
import { boundNames, isKept, measureBound } from "./bounds.ts";
import { type FuzzReport, fuzzRun } from "./fuzz-run.ts";
import { inMib, memoryLine, memoryTarget } from "./memory.ts";
import { mutantLines, mutants } from "./mutants.ts";

const fullLines = 1_000_000;

export const bench: Bench<{ readonly lines: number }> = {
  sizes: { full: { lines: fullLines }, quick: { lines: 22_000 } },
  flags: ["lines"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const { memory, ...report } = await fuzzRun({ lines: Number(flags["lines"] ?? size.lines), seed });
    const faults = [...faultsIn(report)];
    const caught: Record<string, number> = {};
    for (const { name, seen } of mutants) {
      caught[name] = seen(await fuzzRun({ lines: mutantLines, seed, mutant: name }));
      if (caught[name] === 0) faults.push(`the mutant ${name} was not noticed`);
    }
    const bounds = [];
    for (const name of boundNames) {
      const bound = await measureBound(name);
      if (!isKept(bound)) faults.push(`${name}: ${bound.end} (${bound.words})`);
      bounds.push({ name, end: bound.end, ms: bound.ms, riseMiB: inMib(bound.rssPeak - bound.rssStart) });
    }
    log(memoryLine(memory));
    const { rssStart, rssPeak } = memory;
    return {
      figures: {
        ...report,
        unhandled: report.unhandled.length,
        rssStart,
        rssPeak,
        rssRiseMiB: inMib(rssPeak - rssStart),
        mutants: caught,
        bounds,
      },
      faults,
      targets: { rssRiseMiB: memoryTarget(memory, report.lines >= fullLines) },
    };
  },
};

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
