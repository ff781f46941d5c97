/** Applies a unified diff of one file strictly: every line it names must be there. Written apart from what makes diffs. */
export function appliedDiff(before: string, diff: string): string {
  const lines = before.split(/(?<=\n)/).filter((line) => line !== "");
  const result: string[] = [];
  let taken = 0;
  const rows = diff.match(/[^\n]*\n/g) ?? [];
  for (const [at, row] of rows.entries()) {
    if (at < 2 || row.startsWith("\\")) continue;
    const hunk = /^@@ -(\d+),(\d+) \+\d+,\d+ @@\n$/.exec(row);
    if (hunk !== null) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      result.push(...lines.slice(taken, start));
      taken = start;
      continue;
    }
    const bare = rows[at + 1]?.startsWith("\\") === true;
    const text = bare ? row.slice(1, -1) : row.slice(1);
    if (row[0] !== "+") {
      if (lines[taken] !== text) throw new Error(`line ${taken + 1} is not ${JSON.stringify(text)}`);
      taken += 1;
    }
    if (row[0] !== "-") result.push(text);
  }
  return [...result, ...lines.slice(taken)].join("");
}
