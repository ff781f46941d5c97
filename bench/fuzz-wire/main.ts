import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { boundNames, isKept, measureBound } from "./bounds.ts";
import { fullLines, fuzzRun, quickLines } from "./fuzz-run.ts";
import { mutants, mutantLines } from "./mutants.ts";
import { faultsIn, mostRise } from "./verdict.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, seed: { type: "string" }, lines: { type: "string" } },
});
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const wanted = values.quick === true ? quickLines : fullLines;
const { memory, ...report } = await fuzzRun({ lines: Number(values.lines ?? wanted), seed });
const faults = [...faultsIn(report)];

const rise = memory.rssPeak - memory.rssStart;
// A short run ends while the heap is still finding its size.
if (report.lines >= fullLines && rise > mostRise) faults.push(`memory rose by ${inMib(rise)} MiB`);

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

for (const fault of faults) console.error(fault);
console.error(`memory in MiB, window by window: ${memory.windows.map(inMib).join(" ")}`);
console.log(
  JSON.stringify({
    bench: "fuzz-wire",
    ...report,
    unhandled: report.unhandled.length,
    rssStart: memory.rssStart,
    rssPeak: memory.rssPeak,
    rssRiseMiB: inMib(rise),
    mutants: caught,
    bounds,
    pass: faults.length === 0,
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;

function inMib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
