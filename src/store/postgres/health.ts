import { Client } from "pg";
import type { Health } from "../sqlite/health.ts";
import { databaseFault } from "./faults.ts";
import { migrations } from "./schema.ts";

/** Looks without changing anything. Whether its files are sound is for those to find out who run the server. */
export async function databaseHealth(url: string, limitMs: number): Promise<Health> {
  const limits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs };
  const client = new Client({ connectionString: url, application_name: "talaria doctor", ...limits });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Facts>(facts);
    const { there, server = "", bytes } = rows[0] ?? {};
    const found = { newest: migrations.length, bytes: Number(bytes), logBytes: 0, problems: [], server };
    if (there !== true) return { state: "sound", schema: 0, ...found };
    const version = await client.query<{ version: string }>("select version from schema_version");
    return { state: "sound", schema: Number(version.rows[0]?.version), ...found };
  } catch (error) {
    const fault = databaseFault(url, error);
    if (fault === undefined) throw error;
    return { state: "closed", fault };
  } finally {
    await client.end().catch(() => {});
  }
}

type Facts = { readonly there: boolean; readonly server: string; readonly bytes: string };

const facts = `select to_regclass('schema_version') is not null as there,
  current_setting('server_version') as server, pg_database_size(current_database()) as bytes`;
