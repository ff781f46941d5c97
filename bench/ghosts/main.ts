import { parseArgs } from "node:util";
import { fullSize, models, quickSize } from "./sizes.ts";
import { wholeRun } from "./whole-run.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, every: { type: "string" } } });
const size = values.quick === true ? quickSize : fullSize(Number(values.every ?? "1"));
const { runs, faults, mutants } = await wholeRun(size, (line) => console.error(line));
for (const model of models) console.error(`${model} is offered ${runs[model].offered.join(" ")}`);
for (const fault of faults.slice(0, 20)) console.error(fault);
const sum = (key: "stories" | "turns"): number => models.reduce((all, model) => all + runs[model][key], 0);
const figures = {
  stories: sum("stories"),
  turns: sum("turns"),
  tools: new Set(models.flatMap((model) => runs[model].offered)).size,
  mutantsCaught: Object.values(mutants).filter((found) => found > 0).length,
  faults: faults.length,
};
console.log(JSON.stringify({ bench: "ghosts", ...figures, pass: faults.length === 0 }));
process.exitCode = faults.length === 0 ? 0 : 1;
