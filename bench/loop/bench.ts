import type { Bench } from "../bench.ts";
import { figuresOf, targetsOf } from "./figures.ts";
import { type Size, run } from "./run.ts";
import { table } from "./table.ts";

export const bench: Bench<Size> = {
  sizes: {
    full: { warmUp: 30, blocks: 16, turns: 12, cold: 15, others: true },
    quick: { warmUp: 2, blocks: 2, turns: 5, cold: 1, others: false },
  },
  isTimed: true,
  async run(size, { log }) {
    const measured = await run(size, log);
    const figures = figuresOf(measured);
    const targets = targetsOf(figures);
    return {
      figures,
      faults: figures.failed === 0 ? [] : [`${figures.failed} turns or whole runs did not end well`],
      targets,
      table: table(measured, figures, targets),
    };
  },
};
