import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Replaces the file whole: a reader, or a crash at any moment, finds the old text or the new one. On disk when it
 * resolves. A symbolic link stays, and what it points to is replaced.
 */
export async function writeFileAtomic(
  path: string,
  text: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const target = await followLinks(path);
  const temporary = join(dirname(target), `.${basename(target).slice(0, 40)}.${randomUUID()}.tmp`);
  try {
    await writeSynced(temporary, text, options.mode ?? 0o600);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {}); // it may not exist, and the first error matters more
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Makes the folder and its missing parents, for the owner alone; takes others' rights from one that exists. */
export async function ensurePrivateDir(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, 0o700);
}

/** `realpath`, also where the last link points to nothing yet. */
export async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  const next = await readlink(path).catch(() => undefined);
  return next === undefined ? path : followLinks(resolve(dirname(path), next));
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  await using file = await open(path, "wx", mode);
  await file.chmod(mode); // the umask may have taken bits from what `open` was asked for
  await file.writeFile(text);
  await file.sync();
}

/** Without this a power cut may undo the rename. Some file systems cannot do it and say so. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync().catch((error: unknown) => {
    if (!["EINVAL", "ENOTSUP"].includes(codeOf(error) ?? "")) throw error;
  });
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
