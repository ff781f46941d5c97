import { CompiledQuery, PostgresDialect, sql } from "kysely";
import { FaultError } from "../../core/faults.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Engine, Work } from "../engine.ts";
import { openStore } from "../open-store.ts";
import type { Store } from "../store.ts";
import { commitNews } from "./commit-news.ts";
import { knownCommit } from "./lost-commit.ts";
import { databaseFault, isBusy, placeOf } from "./faults.ts";
import { type PoolOptions, postgresPool, schemaLock } from "./pool.ts";
import { migrations, whole } from "./schema.ts";
import { search } from "./search.ts";

export type PostgresOptions = Partial<Omit<PoolOptions, "hook">> & {
  readonly onStatement?: PoolOptions["hook"];
  readonly clock?: Clock;
  readonly machine?: string;
};

/** The store in a database that any number of machines share. */
export const openPostgresStore = (
  url: string,
  { onStatement = () => {}, clock = systemClock, machine, ...options }: PostgresOptions = {},
): Promise<Store> => openStore(postgresEngine(url, { ...options, hook: onStatement }, clock), clock, machine);

function postgresEngine(url: string, options: PoolOptions, clock: Clock): Engine {
  const news = commitNews(url, clock);
  return {
    place: placeOf(url),
    dialect: new PostgresDialect({ pool: async () => postgresPool(url, options) }),
    migrations,
    whole,

    async version(db) {
      const there = await db.executeQuery<{ there: string | null }>(
        CompiledQuery.raw("select to_regclass('schema_version')::text as there"),
      );
      if ((there.rows[0]?.there ?? null) === null) return 0;
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
    isShared: true,
    eventsSettled: sql<boolean>`cursor < event_cursor_border()`,
    watchOthers: news.watch,

    /**
     * Who holds the row of a lease sees what others have committed before, and needs no more. Everything else reads first
     * and writes what follows from it, so it must be as if it ran alone: the database says when it was not (40001).
     */
    async transact(db, apart, work) {
      const plain = db.transaction();
      const begun = apart === "everything" ? plain.setIsolationLevel("serializable") : plain;
      const guarded = apart === "schema" ? alone(work) : work;
      const result = await knownCommit(db, (each) => begun.execute(each), guarded, clock, placeOf(url));
      news.tell(db);
      return result;
    },
    async close(db) {
      await news.close();
      await db.destroy();
    },
    isBusy,
    toFault: (error) => (error instanceof FaultError ? error.fault : databaseFault(url, error)),
  };
}

/** One process at a time changes the schema, and takes as long as it takes. */
const alone =
  <T>(work: Work<T>): Work<T> =>
  async (tx) => {
    await tx.executeQuery(CompiledQuery.raw("set local statement_timeout = 0"));
    await tx.executeQuery(CompiledQuery.raw(schemaLock));
    return work(tx);
  };
