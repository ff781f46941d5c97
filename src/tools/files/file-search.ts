import { join } from "node:path";
import { isCredentialFile } from "./credential-file.ts";
import { cutEnd } from "../cut-middle.ts";
import { walkFiles } from "./file-walk.ts";
import { globPattern } from "./glob.ts";
import { searchableText } from "./searchable-text.ts";

export type FileSearch = {
  /** The working folder, without symbolic links. */
  readonly root: string;
  /** Where to begin, from `root` on: `""`, a folder that ends with `/`, or a file. */
  readonly start: string;
  /** Files and folders that are passed over, without symbolic links. */
  readonly guarded: readonly string[];
  /** Source of the regular expression, over one line or one path. */
  readonly pattern: string;
  readonly flags: string;
  readonly glob?: string;
  readonly kind: "content" | "name";
  readonly limit: number;
};

export type SearchCounts = {
  files: number;
  binary: number;
  large: number;
  credentials: number;
  unreadable: number;
  /** Lines of which only the beginning was looked at. */
  longLines: number;
};

/** A file, or a line in one: where in it the pattern fits, and whether only its beginning is known. */
export type FileHit = {
  readonly path: string;
  readonly line?: {
    readonly number: number;
    readonly text: string;
    readonly at: number;
    readonly isCut: boolean;
  };
};

/** `stopped`: why there may be more. */
export type SearchEnd = SearchCounts & { readonly stopped?: "limit" | "too much" };

const maxTotalBytes = 512 * 1024 * 1024;
const maxEntries = 300_000;
/** The last characters of a cut line are not shown: they may be half of a secret. */
const maxLineChars = 14_096;
const maxShownChars = 300;
const longestSecret = 4096;

/**
 * Looks through files below a folder, in order of their names. It follows no symbolic link and leaves out what the
 * `.gitignore` files on the way leave out. Blocks, so it belongs into a thread of its own.
 */
export function searchFiles(search: FileSearch, found: (hits: readonly FileHit[]) => void): SearchEnd {
  const counts: SearchCounts = { files: 0, binary: 0, large: 0, credentials: 0, unreadable: 0, longLines: 0 };
  const pattern = new RegExp(search.pattern, search.flags);
  const glob = search.glob === undefined ? undefined : globPattern(search.glob);
  const unreadable = (): void => {
    counts.unreadable += 1;
  };
  let left = search.limit;
  let bytes = 0;
  let entries = 0;
  for (const path of walkFiles(search, unreadable)) {
    entries += 1;
    if (entries > maxEntries || bytes > maxTotalBytes) return { ...counts, stopped: "too much" };
    if (glob !== undefined && !glob.test(path)) continue;
    const text = search.kind === "name" ? "" : contentOf(search.root, path, counts);
    if (text === undefined) continue;
    counts.files += 1;
    bytes += text.length;
    const hits =
      search.kind === "name" ? namedLike(pattern, path) : hitsIn(text, path, pattern, left + 1, counts);
    if (hits.length > 0) found(hits.slice(0, left));
    if (hits.length > left) return { ...counts, stopped: "limit" };
    left -= hits.length;
  }
  return counts;
}

const namedLike = (pattern: RegExp, path: string): readonly FileHit[] =>
  pattern.test(path) ? [{ path }] : [];

function contentOf(root: string, path: string, counts: SearchCounts): string | undefined {
  const text = isCredentialFile(join(root, path))
    ? { not: "credentials" as const }
    : searchableText(join(root, path));
  if (typeof text === "string") return text;
  counts[text.not] += 1;
  return undefined;
}

function hitsIn(
  text: string,
  path: string,
  pattern: RegExp,
  most: number,
  counts: SearchCounts,
): readonly FileHit[] {
  const hits: FileHit[] = [];
  let number = 0;
  for (let from = 0; from < text.length && hits.length < most;) {
    const end = text.indexOf("\n", from);
    const to = end === -1 ? text.length : end;
    number += 1;
    const isCut = to - from > maxLineChars;
    if (isCut) counts.longLines += 1;
    const line = text.slice(from, Math.min(to, from + maxLineChars)).replace(/\r$/, "");
    const match = pattern.exec(line);
    if (match !== null) hits.push({ path, line: { number, text: line, at: match.index, isCut } });
    from = to + 1;
  }
  return hits;
}

/** A hit in words. Secrets are masked in all that is known of the line, and then it is cut. */
export function hitText({ path, line }: FileHit, mask: (text: string) => string): string {
  if (line === undefined) return path;
  const text = mask(line.text);
  const known = line.isCut ? Math.max(0, text.length - longestSecret) : text.length;
  return `${path}:${line.number}: ${shownPart(text.slice(0, known), line.at)}`;
}

/** A long line is shown around the place that fits. */
function shownPart(line: string, at: number): string {
  if (line.length <= maxShownChars) return line;
  const from = Math.max(0, Math.min(at - 80, line.length - maxShownChars));
  const part = cutEnd(line.slice(from), maxShownChars).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + maxShownChars < line.length ? "…" : ""}`;
}
