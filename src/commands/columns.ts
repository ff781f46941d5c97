/** Rows as aligned text. `right`: columns whose cells end at the same place. */
export function columns(
  rows: readonly (readonly string[])[],
  right: (column: number) => boolean = () => false,
): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          right(column)
            ? cell.padStart(width(column))
            : cell.padEnd(column === row.length - 1 ? 0 : width(column)),
        )
        .join("  "),
    )
    .join("\n");
}
