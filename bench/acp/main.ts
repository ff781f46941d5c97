import { run } from "./run.ts";
import { fullSize, quickSize } from "./sizes.ts";
import { table } from "./table.ts";
import { verdict } from "./verdict.ts";

const size = process.argv.includes("--quick") ? quickSize : fullSize;
const said = verdict(await run(size, (line) => console.error(line)), size.slack);
console.log(`${table(said)}\n${JSON.stringify(said)}`);
process.exitCode = said.pass ? 0 : 1;
