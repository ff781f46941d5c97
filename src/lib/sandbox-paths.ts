import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/** Names in a working folder that other programs obey: whoever may write there may act outside the fence later. */
const obeyed = [".git", ".codex", ".agents", ".aws"];

/** The existing ones of these names in the folder, where they really are. */
export const obeyedIn = (folder: string): Promise<readonly string[]> =>
  existing(obeyed.map((name) => join(folder, name)));

/** Where the files and folders really are, without those that do not exist: a mount needs something to stand on. */
export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(found.filter((path) => path !== undefined))].toSorted();
}

/** Those of these names that the folder itself has: what is reached through a link cannot be mounted. */
export async function present(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => realpath(join(folder, name)).catch(() => undefined)));
  return names.filter((name, at) => found[at] === join(folder, name));
}

export const isFolder = async (path: string): Promise<boolean> => (await stat(path)).isDirectory();

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
