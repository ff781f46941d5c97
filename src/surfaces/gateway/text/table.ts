import type { Tokens } from "marked";
import { textWidth } from "../../../core/text/text-width.ts";
import { plainOf } from "./span.ts";
import { writeInline } from "./write-inline.ts";
import { Writer } from "./writer.ts";

/** A longer cell does not push the others of its column away. */
const widestColumn = 30;

/** Columns that stand below one another in letters of equal width. */
export function tableText(table: Tokens.Table): string {
  // A row with more cells than the head has would lose them.
  if (rawRows(table.raw).some((cells) => cells > table.header.length)) return table.raw.trimEnd();
  const rows = [table.header, ...table.rows].map((row) => withoutEmptyEnd(row.map(cellText)));
  const widths = table.header.map((_, column) =>
    Math.min(widestColumn, Math.max(1, ...rows.map((row) => textWidth(row[column] ?? "")))),
  );
  const [head = "", ...body] = rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, table.align[column] ?? "left"))
      .join(" │ ")
      .trimEnd(),
  );
  return [head, widths.map((width) => "─".repeat(width)).join("─┼─"), ...body].join("\n");
}

/** How many cells each row has, as it is written. */
const rawRows = (raw: string): readonly number[] =>
  raw
    .trimEnd()
    .split("\n")
    .slice(2)
    .map(
      (line) =>
        line
          .trim()
          .replace(/^\|/, "")
          .replace(/(?<!\\)\|$/, "")
          .split(/(?<!\\)\|/).length,
    );

const withoutEmptyEnd = (row: readonly string[]): readonly string[] =>
  row.slice(0, row.findLastIndex((cell) => cell !== "") + 1);

function cellText({ tokens }: Tokens.TableCell): string {
  const out = new Writer();
  writeInline(tokens, out);
  return plainOf(out.done()).replaceAll("\n", " ");
}

function padded(cell: string, width: number, align: "left" | "right" | "center"): string {
  const room = Math.max(0, width - textWidth(cell));
  const before = { left: 0, right: room, center: Math.floor(room / 2) }[align];
  return " ".repeat(before) + cell + " ".repeat(room - before);
}
