import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { migrateRun } from "./migrate-run.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const size = { ...(values.quick === true ? quickSize : fullSize), seed };
const { broken, ...counts } = await migrateRun(size, (line) => console.error(line));
const pass = broken.length === 0 && counts.naiveLost > 0 && counts.migrations === 2 * size.migrations;
for (const line of broken.slice(0, 20)) console.log(`broken: ${line}`);
console.log(JSON.stringify({ bench: "migrate", ...counts, broken: broken.length, pass }));
process.exitCode = pass ? 0 : 1;
