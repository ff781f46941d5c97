import { run } from "./run.ts";
import { fullSize, quickSize } from "./sizes.ts";
import { table } from "./table.ts";
import { verdict } from "./verdict.ts";

const size = process.argv.includes("--quick") ? quickSize : fullSize;
const measured = await run(size, (line) => console.error(line));
const said = verdict(measured);
console.log(`${table(measured, said)}\n${JSON.stringify(said)}`);
process.exitCode = said.pass ? 0 : 1;
