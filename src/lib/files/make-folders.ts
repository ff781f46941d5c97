import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and its missing parents, for the owner alone. Node's recursive `mkdir` loops for ever where a file
 * system refuses new folders in an existing one with ENOENT, as below /proc.
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
