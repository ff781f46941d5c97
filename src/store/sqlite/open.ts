import { resolve } from "node:path";
import { CompiledQuery, SqliteDialect } from "kysely";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { lanes } from "../../lib/lanes.ts";
import type { Engine } from "../engine.ts";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import { backupsOf } from "./backup.ts";
import { SqliteConnection, type StatementHook } from "./connection.ts";
import { isBusy, storageFault } from "./faults.ts";
import { applicationId, openFile } from "./file.ts";
import { migrations as released, whole } from "./schema.ts";
import { search } from "./search.ts";
import { watchDataVersion } from "./data-version.ts";

/**
 * One writer of a file at a time within this process. Two connections of one process must not meet at SQLite's lock: the
 * second would wait for time to pass, when all the first needs is its turn on the same thread.
 */
const writers = lanes<string>();

export type SqliteOptions = {
  readonly onStatement?: StatementHook;
  readonly clock?: Clock;
  /** The schema of an older or a newer program. */
  readonly migrations?: Engine["migrations"];
};

/** The store in one file. Several processes may have it open; nobody may copy or replace it meanwhile. */
export const openSqliteStore = (path: string, options: SqliteOptions = {}): Promise<Store> =>
  openStore(sqliteEngine(path, options), options.clock ?? systemClock);

const sqliteEngine = (
  path: string,
  { onStatement: hook = () => {}, migrations = released }: SqliteOptions,
): Engine => ({
  place: path,
  dialect: new SqliteDialect({
    database: async () => new SqliteConnection(() => openFile(path, hook), hook),
  }),
  migrations,
  whole: migrations === released ? whole : { version: 0, statements: [] },

  async version(db) {
    const { rows } = await db.executeQuery<{ user_version: number }>(
      CompiledQuery.raw("pragma user_version"),
    );
    return rows[0]?.user_version ?? 0;
  },

  async setVersion(tx, version) {
    await tx.executeQuery(CompiledQuery.raw(`pragma application_id = ${applicationId}`));
    await tx.executeQuery(CompiledQuery.raw(`pragma user_version = ${version}`));
  },

  search,
  watchOthers: watchDataVersion,
  isShared: false,
  transact: (db, _apart, work) => writers.run(resolve(path), () => db.transaction().execute(work)),
  close: (db) => writers.run(resolve(path), () => db.destroy()),
  isBusy,
  toFault: (error) => storageFault(path, error),
  backups: backupsOf(path),
});
