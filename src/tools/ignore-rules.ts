import { globSource } from "./glob.ts";

/** One line of a `.gitignore`. */
export type IgnoreRule = {
  /** Over the path from the folder of the file on. */
  readonly pattern: RegExp;
  readonly foldersOnly: boolean;
  /** Takes an earlier rule back. */
  readonly keep: boolean;
};

/** The rules of one `.gitignore` and the folder it lies in: `""`, or a path from the top that ends with `/`. */
export type IgnoreFile = { readonly base: string; readonly rules: readonly IgnoreRule[] };

const mostRules = 1000;

export function ignoreRules(text: string): readonly IgnoreRule[] {
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
export function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  for (const { base, rules } of files.toReversed()) {
    const own = path.slice(base.length);
    const rule = rules.findLast(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(own),
    );
    if (rule !== undefined) return !rule.keep;
  }
  return false;
}
