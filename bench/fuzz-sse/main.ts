import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { fullFrames, fuzzRun, quickFrames } from "./fuzz-run.ts";
import { mutantFrames, mutants } from "./mutants.ts";
import { faultsIn, mostRise } from "./verdict.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, seed: { type: "string" }, frames: { type: "string" } },
});
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const wanted = Number(values.frames ?? (values.quick === true ? quickFrames : fullFrames));
const started = systemClock.monotonic();
const run = await fuzzRun({ frames: wanted, seed });
const seconds = Math.round((systemClock.monotonic() - started) / 1000);
const faults = [...faultsIn(run)];

const { memory, ...report } = run;
const rise = memory.rssPeak - memory.rssStart;
// A short run ends while the heap is still finding its size.
if (report.mutated >= fullFrames && rise > mostRise) faults.push(`memory rose by ${inMib(rise)} MiB`);

for (const [name, mutant] of Object.entries(mutants)) {
  const { broken } = await fuzzRun({ frames: mutantFrames, seed, mutant });
  if (Object.keys(broken).length === 0) faults.push(`a client that ${name} was not noticed`);
}

for (const fault of faults) console.error(fault);
console.error(`memory in MiB, window by window: ${memory.windows.map(inMib).join(" ")}`);
console.log(
  JSON.stringify({
    bench: "fuzz-sse",
    ...report,
    seconds,
    unhandled: report.unhandled.length,
    rssRiseMiB: inMib(rise),
    mutants: Object.keys(mutants).length,
    pass: faults.length === 0,
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;

function inMib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
