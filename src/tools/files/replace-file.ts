import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pathOf } from "./open-inside.ts";
import { type FileVersion, isUnchanged } from "./file-snapshot.ts";

export type Replacement = {
  /** Absolute, without symbolic links when it was looked at. */
  readonly path: string;
  readonly text: string;
  /** What was there when it was looked at; undefined: nothing was. */
  readonly version: FileVersion | undefined;
};

/** `changed`: the file is not what it was. `moved`: a folder on the way is not. Then nothing was written. */
export type Replaced = "written" | "changed" | "moved";

/**
 * Replaces or creates a file whole, with the folders that are missing, if everything on the way is still as it was. The
 * folder is held open, so on Linux a path that is swapped for a link meanwhile leads nowhere else. On disk when it
 * resolves with `written`; otherwise nothing is left behind.
 */
export async function replaceFile(replacement: Replacement, signal: AbortSignal): Promise<Replaced> {
  const made: string[] = [];
  let done: Replaced = "moved";
  try {
    done = await replaceWithin(replacement, made, signal);
  } catch (error) {
    if (!(error instanceof MovedError)) throw error;
  } finally {
    if (done !== "written") await removeFolders(made);
  }
  return done;
}

/** A folder is not where it was. */
class MovedError extends Error {}

async function replaceWithin(
  { path, text, version }: Replacement,
  made: string[],
  signal: AbortSignal,
): Promise<Replaced> {
  await using folder = await openFolder(dirname(path), made);
  const within = insideOf(folder, dirname(path));
  const target = `${within}/${basename(path)}`;
  const temporary = `${within}/.${randomUUID()}.tmp`;
  try {
    await writeSynced(temporary, text, version);
    const same =
      (await isUnchanged(target, version)) && (await pathOf(folder, dirname(path))) === dirname(path);
    signal.throwIfAborted();
    if (!same) return "changed";
    await rename(temporary, target);
  } finally {
    await unlink(temporary).catch(() => {}); // after the rename it is gone, which is right
  }
  await folder.sync().catch(() => {}); // some file systems cannot, and the file is written all the same
  return "written";
}

async function openFolder(path: string, made: string[]): Promise<FileHandle> {
  const handle = await openDirectly(path, path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return undefined;
  });
  if (handle !== undefined) return handle;
  await using parent = await openFolder(dirname(path), made);
  const own = `${insideOf(parent, dirname(path))}/${basename(path)}`;
  await mkdir(own).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? new MovedError(path) : error;
  });
  made.push(path);
  return await openDirectly(own, path); // while the parent is still open
}

/** What is opened is the folder of that path, not what a link in its place points to. */
async function openDirectly(way: string, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(way, flags).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    throw ["ELOOP", "ENOTDIR"].includes(code) ? new MovedError(path) : error;
  });
  if ((await pathOf(handle, path).catch(() => undefined)) === path) return handle;
  await handle.close();
  throw new MovedError(path);
}

/** Names below it are looked up in the folder that is open, wherever its path leads by now. */
const insideOf = (folder: FileHandle, path: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${folder.fd}` : path;

async function writeSynced(path: string, text: string, version: FileVersion | undefined): Promise<void> {
  await using file = await open(path, "wx", version === undefined ? 0o666 : 0o600);
  await file.writeFile(text);
  if (version !== undefined) {
    // Only the system's administrator may give a file away; anybody else's file becomes ours.
    await file.chown(Number(version.uid), Number(version.gid)).catch(() => {});
    await file.chmod(Number(version.mode & 0o777n));
  }
  await file.sync();
}

async function removeFolders(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    const real = await realpath(path).catch(() => undefined);
    if (real === path) await rmdir(path).catch(() => {}); // somebody may use it by now
  }
}
