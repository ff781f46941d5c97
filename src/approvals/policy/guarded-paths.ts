import { isInside, mayMean } from "./paths.ts";
import type { Touch } from "./touches.ts";

/** Would this change a guarded file or folder, or anything in it? */
export function touchesGuarded(touch: Touch, guarded: readonly string[]): boolean {
  return guarded.some((path) => reaches(touch, path));
}

function reaches({ path, glob, open, how }: Touch, guarded: string): boolean {
  const known = open ? knownFolder(path) : path;
  if (isInside(known, guarded)) return true;
  if (glob && ancestors(guarded).some((part, depth) => mayMean(path, part) && (depth === 0 || takesAll(how))))
    return true;
  if (glob && mayMean(upTo(path, guarded), guarded)) return true;
  return takesAll(how) && !open && isInside(guarded, path);
}

const takesAll = (how: Touch["how"]): boolean => how === "tree" || how === "tree-mode";

/** The folder before the first part that only the run decides. */
const knownFolder = (path: string): string => path.slice(0, path.search(/[/][^/]*[\uE100]/)) || "/";

/** The path itself first, then the folders around it. */
function ancestors(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - index).join("/"));
}

/** As many parts of a pattern as the guarded path has. */
const upTo = (pattern: string, guarded: string): string =>
  pattern.split("/").slice(0, guarded.split("/").length).join("/");
