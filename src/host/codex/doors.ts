import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";

/**
 * Folders in which a host that stays can be reached: of this home, and of every profile beside it. They are made where they
 * are missing, since only what is there can be hidden, and a host may be started later.
 */
export async function doorFolders({
  home,
  paths,
}: Pick<Config, "home" | "paths">): Promise<readonly string[]> {
  const profiles = join(paths.root, "profiles");
  const names = await readdir(profiles).catch(() => []);
  const homes = new Set([paths.root, home, ...names.map((name) => join(profiles, name))]);
  const folders = [...homes].map((folder) => join(folder, "run"));
  await Promise.all(folders.map((folder) => mkdir(folder, { mode: 0o700 }).catch(() => {})));
  return folders;
}
