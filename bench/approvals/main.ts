import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { parts } from "./parts.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean" }, seed: { type: "string" }, interleavings: { type: "string" } },
});
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const chosen = values.quick === true ? quickSize : fullSize;
const interleavings = Number(values.interleavings ?? chosen.interleavings);
const faults: string[] = [];
const figures: Record<string, unknown> = {};

console.error(`seed ${seed}`);
for (const part of parts) {
  const report = await part({ ...chosen, interleavings }, seed, (line) => console.error(line));
  figures[report.name] = report.figures;
  faults.push(...report.faults);
}
for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(JSON.stringify({ bench: "approvals", seed, ...figures, pass: faults.length === 0 }));
process.exitCode = faults.length === 0 ? 0 : 1;
