import type { MigrateSize } from "./migrate-run.ts";

export const fullSize: Omit<MigrateSize, "seed"> = {
  migrations: 500,
  naiveMigrations: 60,
  everyStep: 1,
  randomKills: 60,
  files: 150,
};
/** For `npm test`. */
export const quickSize: Omit<MigrateSize, "seed"> = {
  migrations: 12,
  naiveMigrations: 12,
  everyStep: 8,
  randomKills: 2,
  files: 4,
};
