import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type MatrixSize, gridIn, gridLines, unlike } from "./grid.ts";
import { buttonColumns, buttonMatrix } from "./matrix-buttons.ts";
import { commandColumns, commandMatrix } from "./matrix-commands.ts";
import { toolColumns, toolMatrix } from "./matrix-tools.ts";
import { openWorld } from "./world.ts";

const file = fileURLToPath(new URL("../../test/fixtures/gateway/who-does-what.txt", import.meta.url));

/** Each has a home of its own: commands change the most, and a stranger is given a code once. */
const matrices = {
  tools: { fill: toolMatrix, columns: toolColumns },
  buttons: { fill: buttonMatrix, columns: buttonColumns },
  commands: { fill: commandMatrix, columns: commandColumns },
} as const;

/**
 * Is what comes of commands, buttons and tools what is written down? Returns what is not. `TALARIA_WRITE_CAPTURES=1` writes the whole
 * tables, to be read before they are kept.
 */
export async function whoDoesWhat(size: MatrixSize): Promise<readonly string[]> {
  const filled = await Promise.all(
    Object.entries(matrices).map(async ([title, { fill, columns }]) => {
      await using world = await openWorld();
      return { title, columns, ...(await fill(world, size)) };
    }),
  );
  const isWritten = size === "whole" && process.env["TALARIA_WRITE_CAPTURES"] === "1";
  if (isWritten) for (const { title, grid, columns } of filled) await write(title, gridLines(grid, columns));
  const written = await sections();
  return filled.flatMap(({ title, grid, faults }) =>
    [...faults, ...unlike(grid, gridIn(written.get(title) ?? []))].map((line) => `${title}: ${line}`),
  );
}

/** The lines of each table, by its title; before them what the file says of itself. */
async function sections(): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readFile(file, "utf8");
  const parts = text.split(/^## /m).map((part) => part.split("\n"));
  return new Map(parts.slice(1).map(([title = "", ...lines]) => [title, lines]));
}

async function write(title: string, lines: readonly string[]): Promise<void> {
  const parts = (await readFile(file, "utf8")).split(/^(?=## )/m);
  const at = parts.findIndex((part) => part.startsWith(`## ${title}\n`));
  await writeFile(file, parts.with(at, `## ${title}\n\n${lines.join("\n")}\n\n`).join(""));
}
