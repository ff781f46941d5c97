import { hunkRanges, linesOf } from "../../core/text/unified-diff.ts";

/** One file of a unified diff. `source` is its part of the text. */
export type DiffedFile = {
  /** As it was and as it is; `undefined`: it was, or is, not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly hunks: readonly Hunk[];
  readonly source: string;
};

export type Hunk = { readonly old: number; readonly fresh: number; readonly lines: readonly SignedLine[] };
type SignedLine = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Strict: `undefined` for a text that is anything but a whole diff, so that nothing is guessed from a shortened one. */
export function diffedFiles(text: string): readonly DiffedFile[] | undefined {
  const rows = linesOf(text);
  const files: DiffedFile[] = [];
  let at = 0;
  while (at < rows.length) {
    const [from, to] = [rows[at], rows[at + 1]];
    if (from?.startsWith("--- ") !== true || to?.startsWith("+++ ") !== true) return undefined;
    const read = hunksFrom(rows, at + 2);
    if (read === undefined) return undefined;
    const source = rows.slice(at, read.end).join("");
    files.push({ before: nameOf(from), after: nameOf(to), hunks: read.hunks, source });
    at = read.end;
  }
  return files.length === 0 ? undefined : files;
}

/** The same for hunks without a header before them. */
export function bareHunks(text: string): readonly Hunk[] | undefined {
  const rows = linesOf(text);
  const read = hunksFrom(rows, 0);
  return read !== undefined && read.end === rows.length && rows.length > 0 ? read.hunks : undefined;
}

/**
 * The text on the other side of the hunks. `undefined` when the text is not what they say it is: every line that they
 * name must stand exactly where they name it.
 */
export function otherSide(text: string, hunks: readonly Hunk[], from: "old" | "fresh"): string | undefined {
  const lines = linesOf(text);
  const [mine, theirs] = from === "old" ? (["-", "+"] as const) : (["+", "-"] as const);
  const made: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const here = hunk.lines.filter(({ sign }) => sign !== theirs);
    // A range without lines is named by the line before it.
    const start = here.length === 0 ? hunk[from] : hunk[from] - 1;
    if (start < at || here.some((line, index) => lines[start + index] !== line.text)) return undefined;
    made.push(...lines.slice(at, start));
    made.push(...hunk.lines.filter(({ sign }) => sign !== mine).map((line) => line.text));
    at = start + here.length;
  }
  return at > lines.length ? undefined : [...made, ...lines.slice(at)].join("");
}

function hunksFrom(
  rows: readonly string[],
  start: number,
): { readonly hunks: readonly Hunk[]; readonly end: number } | undefined {
  const hunks: Hunk[] = [];
  let at = start;
  while (rows[at]?.startsWith("@@ ") === true) {
    const read = hunkAt(rows, at);
    if (read === undefined) return undefined;
    hunks.push(read.hunk);
    at = read.end;
  }
  return { hunks, end: at };
}

/** The header says how many lines follow, and only so many are taken. */
function hunkAt(
  rows: readonly string[],
  start: number,
): { readonly hunk: Hunk; readonly end: number } | undefined {
  const ranges = hunkRanges(rows[start] ?? "");
  if (ranges === undefined) return undefined;
  const { old, oldCount, fresh, freshCount } = ranges;
  const left = { old: oldCount, fresh: freshCount };
  const lines: SignedLine[] = [];
  let at = start + 1;
  while (left.old > 0 || left.fresh > 0 || rows[at]?.startsWith("\\") === true) {
    const row = rows[at];
    at += 1;
    if (row?.startsWith("\\") === true) {
      const last = lines.pop();
      if (last === undefined) return undefined;
      lines.push({ ...last, text: last.text.replace(/\n$/, "") });
      continue;
    }
    const sign = row?.[0];
    if (row === undefined || (sign !== " " && sign !== "-" && sign !== "+")) return undefined;
    if (sign !== "+") left.old -= 1;
    if (sign !== "-") left.fresh -= 1;
    lines.push({ sign, text: row.slice(1) });
  }
  return left.old < 0 || left.fresh < 0 ? undefined : { hunk: { old, fresh, lines }, end: at };
}

function nameOf(header: string): string | undefined {
  const name = header.slice(4).replace(/\r?\n$/, "");
  if (name === "/dev/null") return undefined;
  if (!name.startsWith('"')) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}
