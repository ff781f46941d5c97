import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { mutantsRun } from "./mutants-run.ts";
import { mutants } from "./mutants.ts";
import { faultsIn } from "./planting.ts";

const { values } = parseArgs({ options: { only: { type: "string" }, check: { type: "boolean" } } });
const { only, check = false } = values;
const chosen = mutants.filter(({ name, file }) => only === undefined || name === only || file.includes(only));
if (chosen.length === 0) throw new Error(`No mutant is called “${only}”, or is in a file of that name.`);
const ended = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ended.abort(new Error(signal)));
const began = systemClock.monotonic();
const faults = await faultsIn(process.cwd(), chosen);
for (const fault of faults) console.error(fault);
const judged =
  check || faults.length > 0
    ? []
    : await mutantsRun(process.cwd(), chosen, (line) => console.error(line), ended.signal);
const survived = judged.filter(({ caught }) => !caught).map(({ name }) => name);
const pass = faults.length + survived.length === 0;
console.log(
  JSON.stringify({
    bench: "mutants",
    mutants: chosen.length,
    ...(check ? {} : { caught: judged.length - survived.length, survived }),
    seconds: Math.round((systemClock.monotonic() - began) / 1000),
    pass,
  }),
);
process.exitCode = pass ? 0 : 1;
