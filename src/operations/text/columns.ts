import { textWidth } from "../../core/text/text-width.ts";

/** A cell that is wider stands out of its column, so that one long name does not push all others to the right. */
const widest = 40;

/** Rows as aligned text. `right`: columns whose cells end at the same place. A row of one cell is a heading. */
export function columns(
  rows: readonly (readonly string[])[],
  right: (column: number) => boolean = () => false,
): string {
  const table = rows.filter((row) => row.length > 1);
  const width = (column: number): number =>
    Math.max(0, ...table.map((row) => textWidth(row[column] ?? "")).filter((each) => each <= widest));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const room = " ".repeat(Math.max(0, width(column) - textWidth(cell)));
          if (right(column)) return `${room}${cell}`;
          return column === row.length - 1 ? cell : `${cell}${room}`;
        })
        .join("  "),
    )
    .join("\n");
}
