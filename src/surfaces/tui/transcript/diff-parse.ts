import { hunkRanges } from "../../../core/text/unified-diff.ts";

/** A unified diff, file by file, for people to read. */
export type DiffFile = {
  readonly path: string;
  readonly what: "changed" | "new" | "deleted" | "moved";
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly DiffRow[];
};

/** `hunk`: a stretch is left out before it. `info`: what is neither a line of a file nor a header. */
export type DiffRow = {
  readonly kind: "same" | "added" | "removed" | "hunk" | "info";
  readonly number?: number;
  readonly text: string;
};

export const isDiff = (text: string): boolean => /^@@ .*@@/m.test(text) && /^\+\+\+ /m.test(text);

type Open = { path: string; before?: string; added: number; removed: number; rows: DiffRow[] };

/** `left`: lines that its header promised. Without numbers in the header, or once they prove wrong, the signs alone count. */
type Hunk = { old: number; fresh: number; left?: { old: number; fresh: number } };

/** Never throws: what cannot be read as a diff is shown as it is. */
export function parseDiff(text: string): readonly DiffFile[] {
  const files: Open[] = [];
  let hunk: Hunk | undefined;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const fileNow = (): Open => files.at(-1) ?? begin(files, "");
  for (const [at, line] of lines.entries()) {
    const isTaken = hunk !== undefined && takeLine(fileNow(), hunk, line, lines[at + 1]);
    if (isTaken) continue;
    if (line.startsWith("@@")) {
      hunk = hunkOf(line);
      if (fileNow().rows.length > 0) fileNow().rows.push({ kind: "hunk", text: "" });
      continue;
    }
    if (takeHeader(files, line)) {
      hunk = undefined;
      continue;
    }
    if (hunk !== undefined) delete hunk.left;
    if (line !== "") fileNow().rows.push({ kind: "info", text: line });
  }
  return files.map(finished);
}

function begin(files: Open[], path: string): Open {
  const file = { path, added: 0, removed: 0, rows: [] };
  files.push(file);
  return file;
}

/** False: the line is not one of this hunk. */
function takeLine(file: Open, hunk: Hunk, line: string, next: string | undefined): boolean {
  const { left } = hunk;
  const isOver = left !== undefined && left.old <= 0 && left.fresh <= 0;
  if (line.startsWith("\\")) return true;
  if (isOver) return false;
  // Without counts, only two headers in a row tell a header from a removed line.
  if (left === undefined && isHeaderPair(line, next)) return false;
  const [sign, rest] = [line[0] ?? " ", line.slice(1)];
  const numbers = left !== undefined;
  if (sign === "+") {
    file.added += 1;
    file.rows.push({ kind: "added", text: rest, ...(numbers ? { number: hunk.fresh++ } : {}) });
    if (left !== undefined) left.fresh -= 1;
    return true;
  }
  if (sign === "-") {
    file.removed += 1;
    file.rows.push({ kind: "removed", text: rest, ...(numbers ? { number: hunk.old++ } : {}) });
    if (left !== undefined) left.old -= 1;
    return true;
  }
  if (sign !== " ") return false;
  file.rows.push({ kind: "same", text: rest, ...(numbers ? { number: hunk.fresh++ } : {}) });
  hunk.old += 1;
  if (left !== undefined) [left.old, left.fresh] = [left.old - 1, left.fresh - 1];
  return true;
}

const isHeaderPair = (line: string, next = ""): boolean => line.startsWith("--- ") && next.startsWith("+++ ");

function hunkOf(line: string): Hunk {
  const ranges = hunkRanges(line);
  if (ranges === undefined) return { old: 1, fresh: 1 };
  const { old, oldCount, fresh, freshCount } = ranges;
  return { old, fresh, left: { old: oldCount, fresh: freshCount } };
}

/** Lines of git that tell a reader nothing. */
const noise =
  /^(?:index [0-9a-f]+\.\.|(?:dis)?similarity index |(?:old|new|deleted file|new file) mode |rename (?:from|to) )/;

function takeHeader(files: Open[], line: string): boolean {
  if (line.startsWith("diff --git ")) {
    begin(files, / b\/(.*)$/.exec(line)?.[1] ?? line.slice("diff --git ".length));
    return true;
  }
  const last = files.at(-1);
  if (line.startsWith("--- ")) {
    const name = pathOf(line);
    const file =
      last === undefined || last.rows.length > 0 || last.before !== undefined ? begin(files, name) : last;
    file.before = name;
    return true;
  }
  if (line.startsWith("+++ ")) {
    const file = last ?? begin(files, "");
    file.path = pathOf(line);
    return true;
  }
  return noise.test(line);
}

/** git writes a time behind a tab, and a/ and b/ before the names. */
const pathOf = (line: string): string => (line.slice(4).split("\t")[0] ?? "").trimEnd();

function finished({ path, before, ...rest }: Open): DiffFile {
  const isGit = (before ?? "/dev/null").match(/^(?:a\/|\/dev\/null$)/) && path.match(/^(?:b\/|\/dev\/null$)/);
  const [from, to] = isGit ? [before?.replace(/^a\//, ""), path.replace(/^b\//, "")] : [before, path];
  if (to === "/dev/null") return { ...rest, path: from ?? to, what: "deleted" };
  if (from === "/dev/null") return { ...rest, path: to, what: "new" };
  const moved = from !== undefined && from !== to;
  return { ...rest, path: moved ? `${from} → ${to}` : to, what: moved ? "moved" : "changed" };
}
