import type { PostgresPool, PostgresPoolClient } from "kysely";
import { DatabaseError, Pool, type PoolClient, type QueryConfig, types as pgTypes } from "pg";
import { storable, whole } from "../storable.ts";

/** Called around every statement, so that tests can fail or stop the program at each of them. */
export type StatementHook = (sql: string, when: "before" | "after") => void | Promise<void>;

/** Also the name of a statement that waits as long as it must: another process may be changing the schema. */
export const schemaLock = "select pg_advisory_xact_lock(1413565537)";

/**
 * A server that does not answer must be noticed, and one that does not hear us any more must let go of our locks:
 * otherwise a cut link stops both sides for as long as it lasts.
 */
const limits = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 20_000,
  statement_timeout: 20_000,
  idle_in_transaction_session_timeout: 10_000,
};

const idleMs = 30_000;
export const mostConnections = 8;

/** Numbers come as numbers (ours are whole and safe), and JSON as the text it is. */
const numbers: ReadonlySet<number> = new Set([pgTypes.builtins.INT8, pgTypes.builtins.NUMERIC]);
const types = {
  getTypeParser: ((oid: number, format?: "text") =>
    numbers.has(oid) ? Number : pgTypes.getTypeParser(oid, format)) as typeof pgTypes.getTypeParser,
};

export type PoolOptions = {
  readonly hook: StatementHook;
  /** Leases are compared by the caller's time, for tests. */
  readonly leaseTimes?: "given";
  readonly limits?: Partial<typeof limits>;
};

/** node-postgres in the shape Kysely expects. */
export function postgresPool(url: string, options: PoolOptions): PostgresPool {
  const pool = new Pool({
    connectionString: url,
    application_name: "talaria",
    max: mostConnections,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    ...limits,
    ...options.limits,
    types,
  });
  // One that breaks while nobody uses it is replaced by the next use.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    const given = options.leaseTimes === "given" ? "; set talaria.lease_time = 'given'" : "";
    void client.query(`set tcp_user_timeout = 10000${given}`).catch(() => {});
  });
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => watched(await pool.connect(), options.hook),
  };
}

function watched(client: PoolClient, hook: StatementHook): PostgresPoolClient {
  let isBroken = false;
  let mayTakeLong = false;
  const onError = (): void => void (isBroken = true);
  client.on("error", onError);
  return { query: query as PostgresPoolClient["query"], release };

  function release(): void {
    client.off("error", onError);
    client.release(isBroken);
  }

  async function query(sql: string, parameters: readonly unknown[] = []): Promise<unknown> {
    if (sql === "rollback" && isBroken) return { command: "ROLLBACK", rowCount: 0, rows: [] };
    if (sql === schemaLock) mayTakeLong = true;
    try {
      await hook(sql, "before");
      const result = await client.query({
        text: sql,
        values: parameters.map(bound),
        ...(mayTakeLong ? { query_timeout: 0 } : {}),
      } as QueryConfig);
      await hook(sql, "after");
      return result;
    } catch (error) {
      // The server said so itself: the connection is as good as before. Else nobody knows what it is still doing.
      if (!(error instanceof DatabaseError)) isBroken = true;
      throw error;
    }
  }
}

const bound = (value: unknown): unknown => {
  if (typeof value === "string") return storable(value);
  return typeof value === "number" ? whole(value) : value;
};
