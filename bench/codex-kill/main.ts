import { parseArgs } from "node:util";
import { killRun, passes } from "./kill-run.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" } } });
const size = values.quick === true ? quickSize : fullSize;
const report = await killRun(size, (line) => console.error(line));
const { broken, mutants, ...figures } = report;
const of = (word: string): number => broken.filter((line) => line.includes(` ${word}:`)).length;
const pass = passes(report, size);
for (const line of broken.slice(0, 20)) console.log(`broken: ${line}`);
console.log(
  JSON.stringify({
    bench: "codex-kill",
    ...figures,
    lost: of("lost"),
    doubled: of("doubled"),
    orphans: of("orphan"),
    broken: broken.length,
    mutantsCaught: Object.values(mutants).filter((found) => found.length > 0).length,
    pass,
  }),
);
process.exitCode = pass ? 0 : 1;
