import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FaultError } from "../../core/faults.ts";
import { type StatementHook, busyTimeoutMs } from "./connection.ts";

/** "Tala": tells our files from other programs' databases. */
export const applicationId = 0x54616c61;

/** Opens a connection with the settings that durability rests on. The file is ours alone to read. */
export function openFile(path: string, hook: StatementHook): DatabaseSync {
  makePrivate(path);
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    requireSqlite(versionOf(db));
    requireOurs(db, path);
    requireWal(set("journal_mode = wal"), path);
    set("synchronous = full");
    set("secure_delete = on");
    // Whoever shares a file shares a clock.
    db.function("lease_time", { deterministic: true }, (at) => at);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }

  function set(pragma: string): unknown {
    const sql = `pragma ${pragma}`;
    hook(sql, "before");
    const row = db.prepare(sql).get();
    hook(sql, "after");
    return row && Object.values(row)[0];
  }
}

/** SQLite gives -wal and -shm the mode of the file itself. */
function makePrivate(path: string): void {
  try {
    // Only ever for a new file: closing a descriptor of an open one would drop this process's locks on it.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

/** Before 3.51.3 two processes could damage a write-ahead log between them. */
export function requireSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return;
  throw new FaultError({
    code: "config",
    message: `This Node brings SQLite ${version}, which can damage a database that several processes use.`,
    next: "Run Talaria with the Node that comes with it, or with one that brings SQLite 3.51.3 or newer.",
  });
}

function requireOurs(db: DatabaseSync, path: string): void {
  // One statement, one moment: another process may be creating the tables just now.
  const found = db
    .prepare(
      "select application_id as id, (select count(*) from sqlite_schema) as tables from pragma_application_id",
    )
    .get();
  if (found?.["id"] === applicationId || (found?.["id"] === 0 && found["tables"] === 0)) return;
  throw new FaultError({
    code: "storage",
    message: `${path} is the database of another program. It was left as it is.`,
    next: "Choose another home with TALARIA_HOME, or move that file away.",
  });
}

function requireWal(mode: unknown, path: string): void {
  if (mode === "wal") return;
  throw new FaultError({
    code: "storage",
    message: `The file system of ${path} cannot hold a write-ahead log (SQLite chose "${String(mode)}").`,
    next: "Choose a home on a local disk with TALARIA_HOME.",
  });
}

const versionOf = (db: DatabaseSync): string =>
  String(db.prepare("select sqlite_version() as version").get()?.["version"]);
