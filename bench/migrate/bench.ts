import type { Bench } from "../bench.ts";
import { type MigrateSize, migrateRun } from "./migrate-run.ts";

export const bench: Bench<MigrateSize> = {
  sizes: {
    full: { migrations: 500, naiveMigrations: 60, everyStep: 1, randomKills: 60, files: 150 },
    quick: { migrations: 12, naiveMigrations: 12, everyStep: 16, randomKills: 2, files: 3 },
  },
  isSeeded: true,
  async run(size, { seed, log }) {
    const { broken, ...counts } = await migrateRun(size, seed, log);
    return {
      figures: { ...counts, broken: broken.length },
      faults: [
        ...broken,
        ...(counts.naiveLost > 0 ? [] : ["a writer that does not look was not noticed"]),
        ...(counts.migrations === 2 * size.migrations ? [] : [`only ${counts.migrations} migrations`]),
      ],
    };
  },
};
