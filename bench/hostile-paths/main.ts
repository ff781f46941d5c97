import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { pathsRun } from "./paths-run.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const size = values.quick === true ? quickSize : fullSize;
const { figures, faults } = await pathsRun(size, seed, (line) => console.error(line));
for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(JSON.stringify({ bench: "hostile-paths", seed, ...figures, pass: faults.length === 0 }));
process.exitCode = faults.length === 0 ? 0 : 1;
