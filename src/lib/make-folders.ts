import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * A folder and those above it, for this person alone. Node's own way never comes back where a file system has no place
 * for a new folder in one that exists, as below /proc.
 */
export async function makeFolders(folder: string): Promise<void> {
  const error = await made(folder);
  if (error === undefined) return;
  const above = dirname(folder);
  if (error.code !== "ENOENT" || above === folder) throw error;
  await makeFolders(above);
  const again = await made(folder);
  if (again !== undefined) throw again;
}

/** Why it is not there, if it is not. */
async function made(folder: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const found = await stat(folder).catch(() => undefined);
    return found?.isDirectory() === true ? undefined : (error as NodeJS.ErrnoException);
  }
}
