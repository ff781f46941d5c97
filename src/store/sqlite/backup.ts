import { open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync, backup } from "node:sqlite";
import { FaultError } from "../../core/faults.ts";
import type { Backups } from "../engine.ts";
import { storageFault } from "./faults.ts";

/** How many are kept: those of the last upgrades. */
const mostKept = 3;

/** `talaria.db.v12.backup`: the store as it was before its schema went on from 12. A later one of the same schema takes its place. */
export const backupsOf = (path: string): Backups => ({
  async keep(version) {
    const file = `${path}.v${version}.backup`;
    await requireSpace(path);
    try {
      await copyWhole(path, file);
      await dropOldest(path);
    } catch (error) {
      throw new FaultError(notKept(path, file, error), error);
    }
    return file;
  },

  newest(version) {
    const fitting = backupNames(path, readdirSync(dirname(path))).filter((one) => one.version <= version);
    const [newest] = fitting.toSorted((a, b) => b.version - a.version);
    return newest && join(dirname(path), newest.name);
  },
});

/** The whole file or none: a copy that was cut off has another name, and the next one takes its place. */
async function copyWhole(path: string, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await rm(part, { force: true });
    await (await open(part, "wx", 0o600)).close();
    // A connection of its own: the one that holds the write lock is in a transaction.
    using db = new DatabaseSync(path, { readOnly: true });
    await backup(db, part, { rate: pagesAtOnce });
    await synced(part);
    await rename(part, file);
    await synced(dirname(file));
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}

const pagesAtOnce = 4096;

/** Until it would outlive a power cut. */
async function synced(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function dropOldest(path: string): Promise<void> {
  const folder = dirname(path);
  const found = await Promise.all(
    backupNames(path, await readdir(folder)).map(async ({ name }) => {
      const file = join(folder, name);
      return { file, at: (await stat(file)).mtimeMs };
    }),
  );
  for (const { file } of found.toSorted((a, b) => b.at - a.at).slice(mostKept))
    await rm(file, { force: true });
}

function backupNames(path: string, names: readonly string[]): { name: string; version: number }[] {
  const start = `${basename(path)}.v`;
  return names.flatMap((name) => {
    const version = name.startsWith(start)
      ? /^(\d+)\.backup$/.exec(name.slice(start.length))?.[1]
      : undefined;
    return version === undefined ? [] : [{ name, version: Number(version) }];
  });
}

/** Asked first, so that the disk is not filled to its last byte for nothing. */
async function requireSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const log = await stat(`${path}-wal`).catch(() => ({ size: 0 }));
  const needed = (await stat(path)).size + log.size;
  if (bavail * bsize >= needed) return;
  throw new FaultError({
    code: "storage",
    message: `There is no space left for the backup of ${path} that is made before it is upgraded: it needs ${megabytes(needed)}, and ${megabytes(bavail * bsize)} are free. It was left as it is.`,
    next: `Free space on the disk that holds ${dirname(path)}, then start Talaria again.`,
  });
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const notKept = (path: string, file: string, error: unknown): FaultError["fault"] => ({
  code: "storage",
  message: `The backup of ${path} that is made before it is upgraded could not be written. ${storageFault(file, error)?.message ?? String(error)} The store was left as it is.`,
  next: `Check the disk that holds ${dirname(path)} and that Talaria may write there, then start it again.`,
});
