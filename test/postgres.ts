// oxlint-disable-next-line no-restricted-imports -- a server that no program of ours starts
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";

/**
 * A real PostgreSQL for the tests of a process, or `undefined` where there is none: one that `TALARIA_TEST_DATABASE` names
 * (its user must be a superuser), or one that is started here, in memory where possible, and ends with the process.
 */
export async function testServer(): Promise<string | undefined> {
  server ??= start();
  return server;
}
let server: Promise<string | undefined> | undefined;

/** For `describe` and `test`: the reason to skip, if there is one. */
export const withoutPostgres = (): string | false =>
  process.env["TALARIA_TEST_DATABASE"] === undefined && programs() === undefined
    ? "there is no PostgreSQL here: install the package postgresql, or name a server in TALARIA_TEST_DATABASE"
    : false;

/** An empty schema of its own for whoever connects by `url`. */
export type TestDatabase = AsyncDisposable & {
  readonly url: string;
  /** Past the store. */
  ask(sql: string, parameters?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** What differs by table when any row does. */
  rows(): Promise<Record<string, unknown> | undefined>;
  /** Removes all rows, whatever the rules of the schema say: a hundred times faster than another schema. */
  clear(): Promise<void>;
};

let schemas = 0;

export async function testDatabase(): Promise<TestDatabase> {
  const base = await testServer();
  if (base === undefined) throw new Error("there is no PostgreSQL here");
  const schema = `t_${process.pid}_${(schemas += 1)}`;
  const url = `${base}${base.includes("?") ? "&" : "?"}options=-csearch_path%3D${schema}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  const ask = asking(client);
  await ask(`create schema ${schema}`);
  const tables = async (): Promise<readonly string[]> => {
    const where = "schemaname = $1 and tablename <> 'schema_version'";
    const rows = await ask(`select tablename as name from pg_tables where ${where}`, [schema]);
    return rows.map(({ name }) => String(name));
  };
  return {
    url,
    ask,
    async rows() {
      const each = (await tables()).map(
        (name) => `(select md5(string_agg(t::text, '|' order by t::text)) from "${name}" t) as "${name}"`,
      );
      return (await ask(`select ${each.join(", ")}`))[0];
    },
    async clear() {
      const removed = (await tables())
        .map((name) => `delete from "${name}" ${name === "meta" ? "where key <> 'home'" : ""};`)
        .join("");
      await ask(`begin; set local session_replication_role = replica; ${removed} commit`);
      await ask(
        "select setval(format('%I.%I', schemaname, sequencename), 1, false) from pg_sequences where schemaname = $1",
        [schema],
      );
    },
    async [Symbol.asyncDispose]() {
      await ask(`drop schema ${schema} cascade`);
      holding(client).ref();
      await client.end();
    },
  };
}

/** To migrate takes a hundred times longer than to remove all rows: a schema that is no longer used is used again. */
const free: TestDatabase[] = [];

/** A database without rows, for one test after the other. The first one has no schema yet. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const database = free.pop() ?? (await testDatabase());
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database.clear();
      free.push(database);
    },
  };
}

const holding = (client: Client) => client as Client & { ref(): void; unref(): void };

/** The connection keeps the process alive only while it is asked something. */
function asking(client: Client): TestDatabase["ask"] {
  const holds = holding(client);
  holds.unref();
  return async (sql, parameters = []) => {
    holds.ref();
    try {
      return (await client.query<Record<string, unknown>>(sql, [...parameters])).rows;
    } finally {
      holds.unref();
    }
  };
}

/** The shell ends the server as soon as its input ends, which it does when this process has ended, however it did. */
const untilInputEnds = `
  "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off \\
    -c max_connections=100 -c shared_buffers=64MB &
  read -r _
  kill -QUIT $!
  wait
  rm -rf "$2"`;

async function start(): Promise<string | undefined> {
  const given = process.env["TALARIA_TEST_DATABASE"];
  if (given !== undefined) return given;
  const bin = programs();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "talaria-pg-"));
  const who = process.getuid?.() === 0 ? serviceUser() : {};
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const options = {
    ...who,
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8" },
  };
  const init = ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  const made = spawnSync(join(bin, "initdb"), [...init, "--no-instructions"], {
    ...options,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const child = spawn("sh", ["-c", untilInputEnds, "sh", bin, folder], {
    ...options,
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (bytes: Buffer) => {
      log += bytes.toString();
      if (log.includes("ready to accept connections")) resolve();
    });
    child.once("exit", () => reject(new Error(`postgres: ${log}`)));
  });
  for (const each of [child, child.stdin, child.stderr]) (each as { unref?: () => void }).unref?.();
  return `postgres://postgres@${encodeURIComponent(folder)}/postgres`;
}

/** PostgreSQL refuses to run as root. */
function serviceUser(): { readonly uid?: number; readonly gid?: number } {
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = ["postgres", "nobody"].map((name) => users.find(([is]) => is === name)).find(Boolean);
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}

/** On the PATH, or where Debian keeps its versions. */
function programs(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(":"),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}
