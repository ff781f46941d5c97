import { parseArgs } from "node:util";
import type { Row } from "./hostile-run.ts";
import { fullSize, quickSize } from "./sizes.ts";
import { table } from "./table.ts";
import { wholeRun } from "./whole-run.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, runtime: { type: "string" } } });
const size = values.quick === true ? quickSize : fullSize;
const rows: Row[] = [];
const faults: string[] = [];
for (const runtime of ["loop", "codex"] as const) {
  if (values.runtime !== undefined && values.runtime !== runtime) continue;
  const report = await wholeRun(runtime, size[runtime], ({ name }) => console.error(`${runtime} ${name}`));
  rows.push(...report.rows);
  faults.push(...report.faults);
}
console.log(table(rows));
for (const fault of faults.slice(0, 20)) console.error(fault);
const count = (runtime: string): number => rows.filter((row) => row.runtime === runtime).length;
const figures = {
  loop: count("loop"),
  codex: count("codex"),
  open: rows.filter(({ leaked, faults: own }) => leaked.length > 0 && own.length === 0).length,
  faults: faults.length,
};
console.log(JSON.stringify({ bench: "hostile-model", ...figures, pass: faults.length === 0 }));
process.exitCode = faults.length === 0 ? 0 : 1;
