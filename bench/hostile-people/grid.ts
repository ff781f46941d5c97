/** What came of each row in each column. */
export type Grid = Map<string, Map<string, string>>;

/** slice: one cell at least for each decision that is made by itself */
export type MatrixSize = "slice" | "whole";

/** One line for each row; columns that are the same all the way down stand together. */
export function gridLines(grid: Grid, columns: readonly string[]): readonly string[] {
  const rows = [...grid];
  const told = (column: string): string => JSON.stringify(rows.map(([, cells]) => cells.get(column) ?? "?"));
  const groups = [...Map.groupBy(columns, told).values()];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...groups.map((group, index) => `${letter(index)}: ${group.join(", ")}`),
    "",
    line(
      "",
      groups.map((_, index) => letter(index)),
      width,
    ),
    ...rows.map(([name, cells]) =>
      line(
        name,
        groups.map(([column = ""]) => cells.get(column) ?? "?"),
        width,
      ),
    ),
  ];
}

const letter = (index: number): string => String.fromCharCode(65 + index);

const line = (name: string, cells: readonly string[], width: number): string =>
  [name.padEnd(width), ...cells.map((cell) => cell.padEnd(6))].join(" ").trimEnd();

/** What `gridLines` has written. */
export function gridIn(lines: readonly string[]): Grid {
  const filled = lines.filter((text) => text !== "");
  const columns = filled.flatMap((text) => {
    const [, group = "", names] = /^([A-Z]): (.+)$/.exec(text) ?? [];
    return names === undefined ? [] : [{ group, names: names.split(", ") }];
  });
  const [head = "", ...rows] = filled.slice(columns.length);
  const width = head.indexOf("A") - 1;
  return new Map(
    rows.map((row) => {
      const values = row.slice(width).trim().split(/\s+/);
      const cells = columns.flatMap(({ names }, at) =>
        names.map((name) => [name, values[at] ?? "?"] as const),
      );
      return [row.slice(0, width).trimEnd(), new Map(cells)];
    }),
  );
}

/** Each cell that is another one than what is written down; what was not tried is no difference. */
export const unlike = (found: Grid, written: Grid): readonly string[] =>
  [...found].flatMap(([row, cells]) =>
    [...cells]
      .filter(([column, value]) => written.get(row)?.get(column) !== value)
      .map(([column, value]) => `${row}, ${column}: ${value}, and not ${written.get(row)?.get(column)}`),
  );
