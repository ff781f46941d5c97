import { join, resolve } from "node:path";
import { folderEntries } from "./folder-entries.ts";
import { type IgnoreFile, ignoreRules, isIgnored } from "./ignore-rules.ts";
import { searchableText } from "./searchable-text.ts";

const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Where to look for files, with `root` and `guarded` without symbolic links. */
type Place = { readonly root: string; readonly start: string; readonly guarded: readonly string[] };

/**
 * Paths of files from `root` on, in order of their names. `start` is `""`, a folder that ends with `/`, or a file. No
 * symbolic link is followed, and what is guarded or what the `.gitignore` files on the way leave out is left out.
 */
export function* walkFiles({ root, start, guarded }: Place, unreadable: () => void): Iterable<string> {
  if (start !== "" && !start.endsWith("/")) return yield start;
  const above = [...start.matchAll(/[^/]+\//g)].map(({ index }) => start.slice(0, index));
  const rules = above.flatMap((base) => ignoreFile(root, base));
  yield* walkFolder({ root, guarded: new Set(guarded), unreadable }, start, rules);
}

type Walk = {
  readonly root: string;
  readonly guarded: ReadonlySet<string>;
  readonly unreadable: () => void;
};

function* walkFolder(walk: Walk, base: string, above: readonly IgnoreFile[]): Iterable<string> {
  const { root, guarded, unreadable } = walk;
  const entries = folderEntries(resolve(root, base));
  if (entries === undefined) unreadable();
  const rules = [...above, ...ignoreFile(root, base)];
  for (const entry of entries ?? []) {
    const path = base + entry.name;
    const isFolder = entry.isDirectory();
    if (isFolder && skippedFolders.has(entry.name)) continue;
    if (!isFolder && !entry.isFile()) continue;
    if (guarded.has(join(root, path)) || isIgnored(path, isFolder, rules)) continue;
    if (isFolder) yield* walkFolder(walk, `${path}/`, rules);
    if (!isFolder) yield path;
  }
}

function ignoreFile(root: string, base: string): readonly IgnoreFile[] {
  const text = searchableText(join(root, base, ".gitignore"));
  return typeof text === "string" ? [{ base, rules: ignoreRules(text) }] : [];
}
