import { CompiledQuery, PostgresDialect } from "kysely";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Engine } from "../engine.ts";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import { databaseFault, isBusy, placeOf } from "./faults.ts";
import { type PoolOptions, postgresPool, schemaLock } from "./pool.ts";
import { migrations } from "./schema.ts";
import { search } from "./search.ts";

export type PostgresOptions = Partial<Omit<PoolOptions, "hook">> & {
  readonly onStatement?: PoolOptions["hook"];
  readonly clock?: Clock;
};

/** The store in a database that any number of machines share. */
export const openPostgresStore = (
  url: string,
  { onStatement = () => {}, clock = systemClock, ...options }: PostgresOptions = {},
): Promise<Store> => openStore(postgresEngine(url, { ...options, hook: onStatement }), clock);

const postgresEngine = (url: string, options: PoolOptions): Engine => ({
  place: placeOf(url),
  dialect: new PostgresDialect({ pool: async () => postgresPool(url, options) }),
  migrations,

  async version(db) {
    const there = await db.executeQuery<{ there: string | null }>(
      CompiledQuery.raw("select to_regclass('schema_version')::text as there"),
    );
    if (there.rows[0]?.there == null) return 0;
    const { rows } = await db.executeQuery<{ version: number }>(
      CompiledQuery.raw("select version from schema_version"),
    );
    return rows[0]?.version ?? 0;
  },

  async setVersion(tx, version) {
    await tx.executeQuery(
      CompiledQuery.raw("create table if not exists schema_version (version bigint not null)"),
    );
    await tx.executeQuery(CompiledQuery.raw("delete from schema_version"));
    await tx.executeQuery(CompiledQuery.raw("insert into schema_version values ($1)", [version]));
  },

  search,
  sharesCommits: false,

  /**
   * Who holds the row of a lease sees what others have committed before, and needs no more. Everything else reads first
   * and writes what follows from it, so it must be as if it ran alone: the database says when it was not (40001).
   */
  transact(db, apart, work) {
    if (apart === "everything") return db.transaction().setIsolationLevel("serializable").execute(work);
    if (apart !== "schema") return db.transaction().execute(work);
    return db.transaction().execute(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw("set local statement_timeout = 0"));
      await tx.executeQuery(CompiledQuery.raw(schemaLock));
      return work(tx);
    });
  },
  close: (db) => db.destroy(),
  isBusy,
  toFault: (error) => databaseFault(url, error),
});
