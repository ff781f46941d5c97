import type { Bench } from "../bench.ts";
import type { Row } from "./hostile-run.ts";
import type { Runtime } from "./script.ts";
import { table } from "./table.ts";
import { wholeRun } from "./whole-run.ts";

/** On each runtime every n-th script. */
type Size = Readonly<Record<Runtime, number>>;

export const bench: Bench<Size> = {
  sizes: { full: { loop: 1, codex: 1 }, quick: { loop: 22, codex: 31 } },
  flags: ["runtime"],
  async run(size, { flags, log }) {
    const rows: Row[] = [];
    const faults: string[] = [];
    for (const runtime of ["loop", "codex"] as const) {
      if ((flags["runtime"] ?? runtime) !== runtime) continue;
      const report = await wholeRun(runtime, size[runtime], ({ name }) => log(`${runtime} ${name}`));
      rows.push(...report.rows);
      faults.push(...report.faults);
    }
    const count = (runtime: Runtime): number => rows.filter((row) => row.runtime === runtime).length;
    return {
      figures: { loop: count("loop"), codex: count("codex"), open: rows.filter(isOpen).length },
      faults,
      table: table(rows),
    };
  },
};

const isOpen = ({ leaked, faults }: Row): boolean => leaked.length > 0 && faults.length === 0;
