import { constants, setPriority } from "node:os";
import { run } from "./run.ts";
import { fullSize, quickSize } from "./sizes.ts";
import { table } from "./table.ts";
import { verdict } from "./verdict.ts";

const size = process.argv.includes("--quick") ? quickSize : fullSize;
// Other work on the machine is not what is measured. Not everybody may ask for that, and what is started inherits it.
try {
  setPriority(constants.priority.PRIORITY_HIGH);
} catch {
  console.error("without priority over other work on this machine");
}
const said = verdict(await run(size, (line) => console.error(line)), size.slack);
console.log(`${table(said)}\n${JSON.stringify(said)}`);
// `--report`: the figures are what is wanted, and a missed target is told in them.
process.exitCode = said.pass || (process.argv.includes("--report") && said.failed === 0) ? 0 : 1;
