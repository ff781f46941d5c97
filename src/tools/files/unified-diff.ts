import { linesOf } from "../../core/text/unified-diff.ts";
import { type LineRun, lineDiff } from "./line-diff.ts";

export type Difference = {
  /** As `git diff` shows one file. Empty when the texts are the same. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
};

const context = 3;

/** Lines end at LF alone, so a CR belongs to its line and a change of line ends is seen. `before` undefined: a new file. */
export function unifiedDiff(path: string, before: string | undefined, after: string): Difference {
  const runs = lineDiff(linesOf(before ?? ""), linesOf(after));
  const count = (kind: LineRun["kind"]): number =>
    runs.reduce((sum, one) => sum + (one.kind === kind ? one.lines.length : 0), 0);
  const [added, removed] = [count("new"), count("old")];
  if (before !== undefined && added + removed === 0) return { text: "", added, removed };
  const name = quoted(path);
  const header = `--- ${before === undefined ? "/dev/null" : name}\n+++ ${name}\n`;
  return { text: header + hunks(signedLines(runs)).map(hunkText).join(""), added, removed };
}

/** A name with a line end in it could pass for a part of the diff. */
const quoted = (path: string): string => (/[\p{Cc}\p{Cf}"\\]/u.test(path) ? JSON.stringify(path) : path);

type Line = {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Where it stands, or would stand, in either text. */
  readonly old: number;
  readonly fresh: number;
};

const signs: Readonly<Record<LineRun["kind"], Line["sign"]>> = { same: " ", old: "-", new: "+" };

function signedLines(runs: readonly LineRun[]): readonly Line[] {
  let [old, fresh] = [1, 1];
  return runs.flatMap(({ kind, lines }) =>
    lines.map((text): Line => {
      const line = { sign: signs[kind], text, old, fresh };
      if (kind !== "new") old += 1;
      if (kind !== "old") fresh += 1;
      return line;
    }),
  );
}

/** Changes with the lines around them; those that stand close together share a hunk. */
function hunks(lines: readonly Line[]): readonly (readonly Line[])[] {
  const windows: { from: number; to: number }[] = [];
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const [from, to] = [Math.max(0, at - context), at + context + 1];
    const last = windows.at(-1);
    const close = last !== undefined && from <= last.to;
    if (close) last.to = to;
    if (!close) windows.push({ from, to });
  }
  return windows.map(({ from, to }) => lines.slice(from, to));
}

function hunkText(lines: readonly Line[]): string {
  const old = lines.filter(({ sign }) => sign !== "+").length;
  const fresh = lines.filter(({ sign }) => sign !== "-").length;
  const ranges = `-${range(lines[0]?.old, old)} +${range(lines[0]?.fresh, fresh)}`;
  return `@@ ${ranges} @@\n${lines.map(lineText).join("")}`;
}

/** A range without lines is named by the line before it. */
const range = (from = 1, count: number): string => `${count === 0 ? from - 1 : from},${count}`;

const lineText = ({ sign, text }: Line): string =>
  text.endsWith("\n") ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`;
