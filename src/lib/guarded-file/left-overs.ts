import { createHash, randomUUID } from "node:crypto";
import { readFile, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Files beside the target that are ours for a moment. The names of the two texts, old and new, are part of the name, so
 * that what a killed process left can be told from what somebody saved in that very moment.
 */
export const stageName = (target: string, before: string, after: string): string =>
  join(dirname(target), `${prefix(target)}${digestOf(before)}-${digestOf(after)}`);

/** Not complete yet. */
export const partName = (target: string): string =>
  join(dirname(target), `${prefix(target)}${randomUUID()}.part`);

const prefix = (target: string): string => `.${basename(target)}.talaria-`;

const digestOf = (text: string | Buffer): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

/**
 * Removes what a killed process left; only for who holds the lock. A text that is not ours is kept under a name that
 * people see, and that name is told.
 */
export async function sweepLeftOvers(target: string): Promise<readonly string[]> {
  const folder = dirname(target);
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix(target)));
  const preserved: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (await isOurs(path)) {
      await rm(path, { force: true });
      continue;
    }
    preserved.push(await preserve(target, path));
  }
  return preserved;
}

/** Not what the names say, it is a text of somebody else that was there when it was replaced. */
async function isOurs(path: string): Promise<boolean> {
  if (!/-[0-9a-f]{16}(?:\.aside)?$/.test(path)) return true;
  return basename(path).includes(digestOf(await readFile(path)));
}

/** Gives a text of somebody else a name that people see. */
export async function preserve(target: string, path: string): Promise<string> {
  const saved = `${target}.talaria-saved-${randomUUID().slice(0, 8)}`;
  await rename(path, saved);
  return saved;
}
