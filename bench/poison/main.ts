import { parseArgs } from "node:util";
import type { Row } from "./one-text.ts";
import { type Part, type PoisonReport, poisonRun } from "./poison-run.ts";
import { fullSize, quickSize } from "./sizes.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, part: { type: "string" } } });
const { loop, ways, codex, twin } = values.quick === true ? quickSize : fullSize;
const parts: Readonly<Record<string, Part>> = {
  loop: { runtime: "loop", every: loop, waysEach: ways },
  codex: { runtime: "codex", every: codex, waysEach: 1 },
  believing: { runtime: "loop", every: twin, waysEach: 1, believes: true },
};
const progress = ({ word, kind, faults }: Row): void => {
  if (faults.length > 0) console.error(`${word} (${kind})\n  ${faults.slice(0, 4).join("\n  ")}`);
};
const figures: Record<string, object> = {};
let pass = true;
for (const [name, part] of Object.entries(parts)) {
  if (values.part !== undefined && values.part !== name) continue;
  const report = await poisonRun(part, part.believes === true ? () => {} : progress);
  figures[name] = figuresOf(report);
  for (const fault of report.faults.slice(0, 20)) console.error(`${name}: ${fault.slice(0, 300)}`);
  const broken = report.faults.length + report.rows.filter(({ faults }) => faults.length > 0).length;
  pass &&= part.believes === true ? report.active > 0 : broken === 0 && report.active === 0;
}
console.log(JSON.stringify({ bench: "poison", ...figures, pass }));
process.exitCode = pass ? 0 : 1;

function figuresOf({ rows, active, controls, kept, faults }: PoisonReport): object {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    texts: new Set(rows.map(({ word }) => word.replace(/-[a-z]+-/, "-"))).size,
    arrivals: rows.length,
    active,
    proposed: sum(({ proposed }) => proposed),
    refused: sum(({ refused }) => refused),
    controls,
    kept,
    faults: faults.length + sum((row) => Number(row.faults.length > 0)),
  };
}
