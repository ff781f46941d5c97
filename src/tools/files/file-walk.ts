import { join, resolve } from "node:path";
import { folderEntries } from "./folder-entries.ts";
import { globSource } from "./glob.ts";
import { searchableText } from "./searchable-text.ts";

const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Where to look for files, with `root` and `guarded` without symbolic links. */
type WalkScope = { readonly root: string; readonly start: string; readonly guarded: readonly string[] };

/**
 * Paths of files from `root` on, in order of their names. `start` is `""`, a folder that ends with `/`, or a file. No
 * symbolic link is followed, and what is guarded or what the `.gitignore` files on the way leave out is left out.
 */
export function* walkFiles({ root, start, guarded }: WalkScope, unreadable: () => void): Iterable<string> {
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

/** One line of a `.gitignore`. */
type IgnoreRule = {
  /** Over the path from the folder of the file on. */
  readonly pattern: RegExp;
  readonly foldersOnly: boolean;
  /** Takes an earlier rule back. */
  readonly keep: boolean;
};

/** The rules of one `.gitignore` and the folder it lies in: `""`, or a path from the top that ends with `/`. */
type IgnoreFile = { readonly base: string; readonly rules: readonly IgnoreRule[] };

const mostRules = 1000;

function ignoreRules(text: string): readonly IgnoreRule[] {
  return text.split(/\r?\n/).slice(0, mostRules).flatMap(ruleOf);
}

function ruleOf(line: string): readonly IgnoreRule[] {
  const trimmed = line.replace(/(?<!\\)\s+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return [];
  const keep = trimmed.startsWith("!");
  const glob = keep ? trimmed.slice(1) : trimmed;
  const bare = glob.replace(/\/+$/, "");
  if (bare === "") return [];
  const anchored = bare.includes("/");
  const source = `^${anchored ? "" : "(?:.*/)?"}${globSource(bare.replace(/^\//, ""))}$`;
  return [{ pattern: new RegExp(source, "su"), foldersOnly: glob.endsWith("/"), keep }];
}

/** The last rule that fits decides, and a file deeper down counts more. */
function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  for (const { base, rules } of files.toReversed()) {
    const own = path.slice(base.length);
    const rule = rules.findLast(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(own),
    );
    if (rule !== undefined) return !rule.keep;
  }
  return false;
}
