import type { Bench } from "../bench.ts";
import { type UpgradeSize, upgradeRun } from "./upgrade-run.ts";

/** `--statements`: at so many moments around statements. */
export const bench: Bench<UpgradeSize> = {
  sizes: {
    full: { messages: 3_000, statements: "every", randomKills: 60 },
    quick: { messages: 200, statements: 4, randomKills: 1 },
  },
  flags: ["statements"],
  isSeeded: true,
  async run(sizes, { seed, flags, log }) {
    const wanted = flags["statements"];
    const size = wanted === undefined ? sizes : { ...sizes, statements: Number(wanted) };
    const { broken, ...counts } = await upgradeRun(size, seed, log);
    const enough = counts.statementKills > 0 && counts.randomKills >= size.randomKills;
    return {
      figures: { ...counts, broken: broken.length },
      faults: [...broken, ...(enough ? [] : ["too few kills"])],
    };
  },
};
