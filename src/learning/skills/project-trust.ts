import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { readdir, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { MetaTable } from "../../store/store.ts";
import { linkOn, openPlain } from "./skill-files.ts";
import type { Skill } from "./skill.ts";

/** Where projects keep skills for whoever works in them. */
export const projectFolders = [".talaria/skills", ".agents/skills", ".codex/skills"] as const;

const limits = { files: 500, bytes: 5 * 1024 * 1024 } as const;

/** The folders with skills that a project has itself; one that is reached through a link is not its own. */
export async function projectRoots(project: string): Promise<readonly string[]> {
  const root = await realpath(project).catch(() => undefined);
  if (root === undefined) return [];
  const found: string[] = [];
  for (const name of projectFolders) {
    const path = join(root, name);
    if (isPlainFolder(path) && (await linkOn(root, name)) === undefined) found.push(path);
  }
  return found;
}

function isPlainFolder(path: string): boolean {
  try {
    // Mostly it is not there, and every turn asks: an exception and a promise take longer than the look.
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/**
 * Names all that is in the folders of these skills: a change of any file makes it another one, also of one that is no part
 * of a skill, since the text of a skill may name it. `undefined`: there is too much of it to vouch for, or it cannot be
 * read.
 */
export async function fingerprint(skills: readonly Skill[]): Promise<string | undefined> {
  const sum = createHash("sha256");
  let [files, bytes] = [0, 0];
  for (const { folder } of skills) {
    const found = await everythingIn(folder, limits.files - files);
    if (found === undefined) return undefined;
    files += found.length;
    for (const { name, leadsTo } of found) {
      const content = leadsTo ?? (await bytesOf(join(folder, name), limits.bytes - bytes));
      if (content === undefined) return undefined;
      bytes += content.length;
      sum.update(JSON.stringify([folder, name, leadsTo !== undefined, content.length]));
      sum.update(content);
    }
  }
  return sum.digest("hex");
}

/** `leadsTo`: of a link, which is not followed. */
type TreeEntry = { readonly name: string; readonly leadsTo?: Buffer };

/** In the order of their names. `undefined`: more than so many, or not to be read. */
async function everythingIn(folder: string, most: number): Promise<readonly TreeEntry[] | undefined> {
  const found: TreeEntry[] = [];
  const walk = async (inner: string): Promise<void> => {
    const entries = await readdir(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(inner, entry.name);
      const path = join(folder, name);
      if (entry.isDirectory()) await walk(name);
      if (entry.isSymbolicLink()) found.push({ name, leadsTo: await readlink(path, { encoding: "buffer" }) });
      if (!entry.isDirectory() && !entry.isSymbolicLink()) found.push({ name });
      if (found.length > most) throw new Error("too many");
    }
  };
  return walk("").then(
    () => found,
    () => undefined,
  );
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

/** False: they were not trusted. */
export async function distrustProject(meta: MetaTable, project: string): Promise<boolean> {
  const key = keyOf(await realpath(project).catch(() => project));
  const was = await meta.get(key);
  if (was === undefined || was === "") return false;
  await meta.set(key, "");
  return true;
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
