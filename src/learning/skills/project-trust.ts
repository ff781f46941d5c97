import { createHash } from "node:crypto";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { MetaTable } from "../../store/store.ts";
import { linkOn, openPlain, skillFileNames } from "./skill-files.ts";
import type { Skill } from "./skill.ts";

/** Where projects keep skills for whoever works in them. */
export const projectFolders = [".talaria/skills", ".agents/skills"] as const;

const limits = { files: 500, bytes: 5 * 1024 * 1024 } as const;

/** The folders with skills that a project has itself; one that is reached through a link is not its own. */
export async function projectRoots(project: string): Promise<readonly string[]> {
  const root = await realpath(project).catch(() => undefined);
  if (root === undefined) return [];
  const found: string[] = [];
  for (const name of projectFolders) {
    const path = join(root, name);
    const isFolder = (await lstat(path).catch(() => undefined))?.isDirectory() === true;
    if (isFolder && (await linkOn(root, name)) === undefined) found.push(path);
  }
  return found;
}

/**
 * Names all that is in these skills: a change of any file makes it another one. `undefined`: there is too much of it to
 * vouch for, or it cannot be read.
 */
export async function fingerprint(skills: readonly Skill[]): Promise<string | undefined> {
  const sum = createHash("sha256");
  let [files, bytes] = [0, 0];
  for (const { folder } of skills) {
    const names = await skillFileNames(folder, limits.files + 1);
    files += names.length;
    if (files > limits.files) return undefined;
    for (const name of names) {
      const content = await bytesOf(join(folder, name), limits.bytes - bytes);
      if (content === undefined) return undefined;
      bytes += content.length;
      sum.update(JSON.stringify([folder, name, content.length]));
      sum.update(content);
    }
  }
  return sum.digest("hex");
}

async function bytesOf(path: string, most: number): Promise<Buffer | undefined> {
  try {
    await using handle = await openPlain(path);
    if ((await handle.stat()).size > most) return undefined;
    const content = await handle.readFile();
    return content.length > most ? undefined : content;
  } catch {
    return undefined;
  }
}

/** Trust belongs to the folder as it is really called, and to what was in it then. */
const keyOf = (project: string): string => `skills.trust ${project}`;

export async function isTrusted(
  meta: Pick<MetaTable, "get">,
  project: string,
  skills: readonly Skill[],
): Promise<boolean> {
  const known = await meta.get(keyOf(await realpath(project).catch(() => project)));
  return known !== undefined && known !== "" && known === (await fingerprint(skills));
}

/** False: there is too much in them to vouch for. */
export async function trustProject(
  meta: MetaTable,
  project: string,
  skills: readonly Skill[],
): Promise<boolean> {
  const now = await fingerprint(skills);
  if (now === undefined) return false;
  await meta.set(keyOf(await realpath(project)), now);
  return true;
}
