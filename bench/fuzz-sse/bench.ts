import { systemClock } from "../../src/lib/clock.ts";
import type { Bench } from "../bench.ts";
import { inMib, memoryLine, memoryTarget } from "../fuzz-wire/memory.ts";
import { type FuzzReport, fuzzRun } from "./fuzz-run.ts";
import { mutantFrames, mutants } from "./mutants.ts";

const fullFrames = 200_000;

export const bench: Bench<{ readonly frames: number }> = {
  sizes: { full: { frames: fullFrames }, quick: { frames: 1_500 } },
  flags: ["frames"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const started = systemClock.monotonic();
    const { memory, ...report } = await fuzzRun({ frames: Number(flags["frames"] ?? size.frames), seed });
    const seconds = Math.round((systemClock.monotonic() - started) / 1000);
    const faults = [...faultsIn(report)];
    for (const [name, mutant] of Object.entries(mutants)) {
      const { broken } = await fuzzRun({ frames: mutantFrames, seed, mutant });
      if (Object.keys(broken).length === 0) faults.push(`a client that ${name} was not noticed`);
    }
    log(memoryLine(memory));
    return {
      figures: {
        ...report,
        seconds,
        unhandled: report.unhandled.length,
        rssRiseMiB: inMib(memory.rssPeak - memory.rssStart),
        mutants: Object.keys(mutants).length,
      },
      faults,
      targets: { rssRiseMiB: memoryTarget(memory, report.mutated >= fullFrames) },
    };
  },
};

/** Everything that speaks against the run, in words. Memory is not looked at. */
export function faultsIn(report: Omit<FuzzReport, "memory">): readonly string[] {
  const { mutations, ends, broken, unhandled } = report;
  const unused = Object.entries(mutations).filter(([, count]) => count === 0);
  const missing = ["completed", "network", "protocol"].filter((end) => ends[end] === undefined);
  return [
    ...unused.map(([kind]) => `no stream was mutated by ${kind}`),
    ...missing.map((end) => `no stream ended as ${end}`),
    ...Object.entries(broken).map(([what, count]) => `${what}: ${count}`),
    ...unhandled,
  ];
}
