/** The lines of a text, each with its LF; only the last one may lack it. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Where a hunk stands in the old text and in the fresh one, and how many of its lines belong to each. */
export type HunkRanges = {
  readonly old: number;
  readonly oldCount: number;
  readonly fresh: number;
  readonly freshCount: number;
};

/** `@@ -1,3 +1,4 @@`; a count of one need not be written. */
export function hunkRanges(line: string): HunkRanges | undefined {
  const found = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(line);
  if (found === null) return undefined;
  const [old, oldCount = "1", fresh, freshCount = "1"] = found.slice(1);
  return {
    old: Number(old),
    oldCount: Number(oldCount),
    fresh: Number(fresh),
    freshCount: Number(freshCount),
  };
}
