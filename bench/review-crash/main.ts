import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { type DelayReport, delayPart } from "./delay-part.ts";
import { exactPart } from "./exact-part.ts";
import { type CrashReport, realPart } from "./real-part.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, seed: { type: "string" }, part: { type: "string" } },
});
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const size = values.quick === true ? quickSize : fullSize;
/** What a person may feel of a review, on a machine that is busy with other things. */
const mostDelay = 2;
const log = (line: string): void => console.error(line);

type Part = () => Promise<{ readonly figures: object; readonly pass: boolean }>;

const parts: Readonly<Record<string, Part>> = {
  delay: async () => delayed(await delayPart(size.turns)),
  exact: async () => crashed(await exactPart(size.exact, seed, log)),
  async naive() {
    const { faults } = await exactPart(size.naive, seed, log, "naive");
    return { figures: { caught: faults.length }, pass: faults.length > 0 };
  },
  real: async () => crashed(await realPart(size.real, seed, log)),
};

console.error(`seed ${seed}`);
const figures: Record<string, object> = {};
let pass = true;
for (const [name, run] of Object.entries(parts)) {
  if ((values.part ?? name) !== name || (name === "delay" && size.turns === 0)) continue;
  const came = await run();
  figures[name] = came.figures;
  pass &&= came.pass;
  console.error(`${name}: ${JSON.stringify(came.figures)}`);
}
console.log(JSON.stringify({ bench: "review-crash", seed, ...figures, pass }));
process.exit(pass ? 0 : 1);

function delayed(report: DelayReport): Awaited<ReturnType<Part>> {
  return { figures: report, pass: Math.max(report.stopping, report.beside) <= mostDelay };
}

function crashed({ faults, ...report }: CrashReport): Awaited<ReturnType<Part>> {
  for (const fault of faults.slice(0, 20)) console.error(fault);
  return { figures: { ...report, faults: faults.length }, pass: faults.length === 0 };
}
