import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { HeadCache, Heads } from "./head-cache.ts";
import { openPlain, plainReason } from "./skill-files.ts";
import { type ParsedSkill, maxSkillChars, parseSkill } from "./skill-format.ts";
import { isSkillName, skillFile } from "./skill-names.ts";
import type { BadSkill, Skill } from "./skill.ts";

export type { HeadCache } from "./head-cache.ts";

/** More front matter than this is none. */
const headBytes = 16 * 1024;
/** Enough to tell whether a text has too many characters. */
const wholeBytes = 4 * maxSkillChars;

/** So many are looked at in one folder. */
export const maxSkills = 10_000;

const atOnce = 64;

export type FoundSkills = { readonly skills: readonly Skill[]; readonly bad: readonly BadSkill[] };

/**
 * The skills of a folder: in folders of their own, or one level below in folders of a category. Nothing here throws: what
 * cannot be read is listed as bad.
 */
export async function skillsIn(
  root: string,
  source: Skill["source"],
  cache: HeadCache,
): Promise<FoundSkills> {
  const entries = await entriesOf(root);
  const bad = entries
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }): BadSkill => ({ path: join(root, name), source, reason: linked }));
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const candidates = (await inBatches(folders, (name) => skillFoldersIn(root, name))).flat();
  if (candidates.length > maxSkills)
    bad.push({ path: root, source, reason: `only ${maxSkills} skills of this folder are looked at` });
  const heads = await cache.heads();
  let changed = dropGone(heads, root, candidates);
  const read = await inBatches(candidates.slice(0, maxSkills), (candidate) =>
    headOf(candidate, heads, () => changed++),
  );
  await cache.keep(changed);
  const skills: Skill[] = [];
  for (const [at, parsed] of read.entries()) {
    const candidate = candidates[at];
    if (candidate === undefined) continue;
    const { folder, modified, category } = candidate;
    if ("bad" in parsed) bad.push({ path: join(folder, skillFile), source, reason: parsed.bad });
    if ("head" in parsed)
      skills.push({
        ...(category === undefined ? {} : { category }),
        ...parsed.head,
        source,
        folder,
        modified,
      });
  }
  return { skills, bad };
}

const linked =
  "it is a link, and links are not followed; name the folder that it leads to in skills.external_dirs";

type SkillFolder = {
  readonly folder: string;
  readonly name: string;
  readonly mark: string;
  readonly modified: number;
  readonly bytes: number;
  readonly category?: string;
};

/** The skill in a folder, else those in the folders below it. */
async function skillFoldersIn(root: string, name: string): Promise<readonly SkillFolder[]> {
  const folder = join(root, name);
  const main = await markOf(folder);
  if (main !== undefined) return [{ folder, name, ...main }];
  if (!isSkillName(name)) return [];
  const inner = (await entriesOf(folder)).filter((entry) => entry.isDirectory());
  const found = await inBatches(inner, async (entry): Promise<readonly SkillFolder[]> => {
    const below = join(folder, entry.name);
    const mark = await markOf(below);
    return mark === undefined ? [] : [{ folder: below, name: entry.name, category: name, ...mark }];
  });
  return found.flat();
}

/** In the order of their names. What begins with a dot is not ours. */
const entriesOf = async (folder: string): Promise<readonly Dirent[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter(({ name }) => !name.startsWith("."))
    .slice(0, 2 * maxSkills)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** What tells whether a SKILL.md was saved since; of one that is a link too, so that it is named. */
async function markOf(folder: string): Promise<Pick<SkillFolder, "mark" | "modified" | "bytes"> | undefined> {
  const found = await lstat(join(folder, skillFile)).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = found;
  return { mark: [ino, size, mtimeMs, ctimeMs].join(" "), modified: Math.floor(mtimeMs), bytes: size };
}

/** What is not there any more is not kept either: somebody may have wanted it forgotten. Gives how many there were. */
function dropGone(heads: Heads, root: string, candidates: readonly SkillFolder[]): number {
  const here = new Set(candidates.map(({ folder }) => join(folder, skillFile)));
  // What begins with a dot below it is looked at by others.
  const isOurs = (path: string): boolean =>
    path.startsWith(`${root}/`) && !path.startsWith(".", root.length + 1);
  const gone = [...heads.keys()].filter((path) => isOurs(path) && !here.has(path));
  for (const path of gone) heads.delete(path);
  return gone.length;
}

async function headOf(candidate: SkillFolder, heads: Heads, onRead: () => void): Promise<ParsedSkill> {
  const { folder, name, mark, bytes } = candidate;
  const path = join(folder, skillFile);
  const known = heads.get(path);
  if (known?.mark === mark) return known.parsed;
  onRead();
  const parsed = await beginningOf(path, bytes > maxSkillChars ? wholeBytes : headBytes).then(
    (text) => (text.length > maxSkillChars ? tooLong : parseSkill(text, name)),
    (error: unknown) => ({ bad: plainReason(error) }),
  );
  if (heads.size > 3 * maxSkills) heads.clear();
  heads.set(path, { mark, parsed });
  return parsed;
}

const tooLong: ParsedSkill = {
  bad: `it has more than ${maxSkillChars} characters; put parts of it into files under references/`,
};

async function beginningOf(path: string, most: number): Promise<string> {
  await using handle = await openPlain(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

async function inBatches<Each, Result>(
  all: readonly Each[],
  work: (each: Each) => Promise<Result>,
): Promise<readonly Result[]> {
  const done: Result[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    done.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return done;
}
