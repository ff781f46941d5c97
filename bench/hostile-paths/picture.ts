import { lstat, readFile, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Every name below with what it is and holds, whose it is and when it was last touched. */
export async function picture(roots: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(roots.map(below))).flat();
}

async function below(path: string): Promise<readonly string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return [`${path} is missing`];
  const { mode, uid, gid, ino, nlink, mtimeMs, ctimeMs } = found;
  const held = found.isFile() ? await readFile(path, "utf8") : await readlink(path).catch(() => "");
  const own = [path, mode, uid, gid, ino, nlink, mtimeMs, ctimeMs, held].join(" ");
  if (!found.isDirectory()) return [own];
  const names = (await readdir(path)).toSorted();
  return [own, ...(await Promise.all(names.map((name) => below(join(path, name))))).flat()];
}

/** What stands in one and not in the other. */
export const differences = (before: readonly string[], after: readonly string[]): readonly string[] => [
  ...before.filter((line) => !after.includes(line)).map((line) => `was: ${line}`),
  ...after.filter((line) => !before.includes(line)).map((line) => `is: ${line}`),
];
