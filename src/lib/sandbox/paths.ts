import { readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Names in a working folder that other programs obey: whoever may write there may act outside the sandbox later. */
export const obeyedNames = [".git", ".codex", ".agents", ".aws"];

/** The existing ones of these names in the folder, where they really are. */
export const obeyedIn = (folder: string): Promise<readonly string[]> =>
  existing(obeyedNames.map((name) => join(folder, name)));

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

/** Without those that lie in another one: in a folder that is covered, nothing is left to cover. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));

export const isFolder = async (path: string): Promise<boolean> => (await stat(path)).isDirectory();

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const mostLinks = 40;

/** `realpath`, also for what is not there yet, and through links that point to nothing yet. */
export async function followed(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || links > mostLinks) throw error;
  }
  const parent = await followed(dirname(path), links);
  const own = join(parent, basename(path));
  const link = await readlink(own).catch(() => undefined);
  return link === undefined ? own : followed(resolve(parent, link), links + 1);
}
