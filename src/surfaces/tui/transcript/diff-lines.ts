import { counted } from "../amounts.ts";
import { type DiffFile, type DiffRow, parseDiff } from "./diff-parse.ts";
import { cut, shownText, wrapped } from "./shown-text.ts";
import type { Paint, Theme } from "../theme.ts";

export type DiffStyle = {
  readonly width: number;
  readonly most: number;
  /** Long lines are broken; otherwise they are cut. */
  readonly wrap: boolean;
};

/** A unified diff as coloured lines with the numbers of the file, at most so many. */
export function diffLines(text: string, theme: Theme, style: DiffStyle): readonly string[] {
  const lines: string[] = [];
  let leftOut = 0;
  for (const file of parseDiff(text)) {
    if (lines.length < style.most) lines.push(headLine(file, theme, style.width));
    const gutter = gutterOf(file, style.width);
    for (const row of file.rows) {
      if (lines.length >= style.most) leftOut += 1;
      if (lines.length < style.most) lines.push(...rowLines(row, theme, style, gutter));
    }
  }
  return leftOut === 0
    ? lines
    : [...lines, theme.faint(cut(`… ${counted(leftOut, "more line")}`, style.width))];
}

function headLine({ path, what, added, removed }: DiffFile, theme: Theme, width: number): string {
  const kind = what === "new" || what === "deleted" ? ` (${what})` : "";
  const counts = ` +${added} −${removed}`;
  const name = cut(shownText(path).replaceAll("\n", " ") + kind, Math.max(1, width - counts.length));
  return `${theme.strong(name)}${theme.added(` +${added}`)}${theme.removed(` −${removed}`)}`;
}

/** No place for numbers on a narrow screen. */
function gutterOf({ rows }: DiffFile, width: number): number {
  const highest = rows.reduce((most, { number = 0 }) => Math.max(most, number), 0);
  return width < 30 || highest === 0 ? 0 : String(highest).length;
}

const signs: Readonly<Record<DiffRow["kind"], string>> = {
  same: " ",
  added: "+",
  removed: "-",
  hunk: "⋮",
  info: "",
};

const longestRow = 4_000;

function rowLines(row: DiffRow, theme: Theme, { width, wrap }: DiffStyle, gutter: number): readonly string[] {
  const paint = paintOf(row, theme);
  const number = gutter === 0 ? "" : `${String(row.number ?? "").padStart(gutter)} `;
  const room = Math.max(1, width - number.length - 1);
  const text = shownText(row.text.slice(0, longestRow)).replaceAll("\n", " ");
  const pieces = wrap ? wrapped(text, room) : [cut(text, room)];
  return pieces.map((piece, at) => {
    const start = at === 0 ? [number, signs[row.kind]] : [" ".repeat(number.length), " "];
    return `${theme.faint(start[0] ?? "")}${paint(`${start[1]}${piece}`.trimEnd())}`;
  });
}

function paintOf({ kind }: DiffRow, theme: Theme): Paint {
  if (kind === "added") return theme.added;
  if (kind === "removed") return theme.removed;
  return kind === "same" ? (text) => text : theme.faint;
}
