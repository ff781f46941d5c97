import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { crashRun } from "./crash-run.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const size = { ...(values.quick === true ? quickSize : fullSize), seed };
const report = await crashRun(size, (line) => console.error(line));
const { broken, mutantBroken, ...counts } = report;
const lost = broken.filter((line) => line.includes("lost:")).length;
const doubled = broken.filter((line) => line.includes("doubled:")).length;
const caught = Object.entries(mutantBroken).flatMap(([mutant, lines]) => (lines.length > 0 ? [mutant] : []));
const isSeen = caught.length === Object.keys(mutantBroken).length;
const pass = broken.length === 0 && isSeen && report.cutOff > 0 && report.randomKills >= size.randomKills;
for (const line of broken.slice(0, 20)) console.log(`broken: ${line}`);
console.log(
  JSON.stringify({
    bench: "crash",
    ...counts,
    lost,
    doubled,
    broken: broken.length,
    mutantsCaught: caught,
    pass,
  }),
);
process.exitCode = pass ? 0 : 1;
