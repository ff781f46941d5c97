import type { Bench } from "../bench.ts";
import { figuresOf, targetsOf } from "./figures.ts";
import { type Size, run } from "./run.ts";
import { table } from "./table.ts";

export const bench: Bench<Size> = {
  isTimed: true,
  sizes: {
    full: {
      warmTurns: 100,
      warmUp: 200,
      atOnce: { sessions: 20, turns: 3, times: 6 },
      open: 50,
      kills: 15,
      acp: true,
      isShared: false,
    },
    // `bench:acp --quick` has an editor.
    quick: {
      warmTurns: 3,
      warmUp: 5,
      atOnce: { sessions: 2, turns: 1, times: 1 },
      open: 2,
      kills: 1,
      acp: false,
      isShared: true,
    },
  },
  async run(size, { log }) {
    const measured = await run(size, log);
    const figures = figuresOf(measured);
    const targets = targetsOf(figures);
    const { failed } = figures;
    return {
      figures,
      faults: failed === 0 ? [] : [`${failed} turns did not end well, or not as lost after a kill`],
      targets,
      table: table(measured, figures, targets),
    };
  },
};
