import { parseArgs } from "node:util";
import { hostileRun, type Row } from "./hostile-run.ts";
import { fullSize, quickSize } from "./sizes.ts";
import { table } from "./table.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, runtime: { type: "string" } } });
const size = values.quick === true ? quickSize : fullSize;
const rows: Row[] = [];
const faults: string[] = [];
for (const runtime of ["loop", "codex"] as const) {
  if (values.runtime !== undefined && values.runtime !== runtime) continue;
  const report = await hostileRun(runtime, size[runtime], ({ name, faults: own }) =>
    console.error(`${runtime} ${name}${own.length === 0 ? "" : `\n  ${own.slice(0, 6).join("\n  ")}`}`),
  );
  rows.push(...report.rows);
  faults.push(...report.rows.flatMap((row) => row.faults), ...report.faults);
}
console.log(table(rows));
for (const fault of faults.slice(0, 20)) console.error(fault);
const count = (runtime: string): number => rows.filter((row) => row.runtime === runtime).length;
const pass = faults.length === 0;
console.log(
  JSON.stringify({
    bench: "hostile-model",
    loop: count("loop"),
    codex: count("codex"),
    faults: faults.length,
    pass,
  }),
);
process.exitCode = pass ? 0 : 1;
