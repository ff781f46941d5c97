import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

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
