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
  migrations: 20,
  naiveMigrations: 20,
  everyStep: 5,
  randomKills: 3,
  files: 6,
};
