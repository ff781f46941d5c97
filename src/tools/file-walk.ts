import { readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type IgnoreFile, ignoreRules, isIgnored } from "./ignore-rules.ts";
import { searchableText } from "./searchable-text.ts";

const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Paths of files from `root` on, in order of their names. `start` is `""`, a folder that ends with `/`, or a file. No
 * symbolic link is followed, and what the `.gitignore` files on the way leave out is left out.
 */
export function* walkFiles(root: string, start: string, unreadable: () => void): Iterable<string> {
  if (start !== "" && !start.endsWith("/")) return yield start;
  const above = [...start.matchAll(/[^/]+\//g)].map(({ index }) => start.slice(0, index));
  const rules = above.flatMap((base) => ignoreFile(root, base));
  yield* walkFolder(root, start, rules, unreadable);
}

function* walkFolder(
  root: string,
  base: string,
  above: readonly IgnoreFile[],
  unreadable: () => void,
): Iterable<string> {
  const entries = entriesOf(resolve(root, base));
  if (entries === undefined) unreadable();
  const rules = [...above, ...ignoreFile(root, base)];
  for (const entry of entries ?? []) {
    const path = base + entry.name;
    const isFolder = entry.isDirectory();
    if (isFolder && skippedFolders.has(entry.name)) continue;
    if (!isFolder && !entry.isFile()) continue;
    if (isIgnored(path, isFolder, rules)) continue;
    if (isFolder) yield* walkFolder(root, `${path}/`, rules, unreadable);
    if (!isFolder) yield path;
  }
}

function entriesOf(folder: string) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    // It may have become a link that leads out since its parent was listed.
    if (realpathSync(folder) !== folder) return undefined;
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

function ignoreFile(root: string, base: string): readonly IgnoreFile[] {
  const text = searchableText(join(root, base, ".gitignore"));
  return typeof text === "string" ? [{ base, rules: ignoreRules(text) }] : [];
}
