import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type MatrixSize, gridIn, gridLines, unlike } from "./grid.ts";
import { buttonColumns, buttonMatrix } from "./matrix-buttons.ts";
import { commandColumns, commandMatrix } from "./matrix-commands.ts";
import { toolColumns, toolMatrix } from "./matrix-tools.ts";
import { type PeopleWorld, openWorld } from "./world.ts";

const file = fileURLToPath(new URL("../../test/fixtures/gateway/who-does-what.txt", import.meta.url));

/** In this order one home does for a slice of all: commands change the most. Whole, each has its own: a stranger is given a code once. */
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
  await using shared = size === "slice" ? await openWorld() : undefined;
  const faults: string[] = [];
  for (const [title, { fill, columns }] of Object.entries(matrices)) {
    await using alone = shared === undefined ? await openWorld() : undefined;
    const { grid, faults: own } = await fill((shared ?? alone) as PeopleWorld, size);
    faults.push(...own.map((fault) => `${title}: ${fault}`));
    const isWritten = size === "whole" && process.env["TALARIA_WRITE_CAPTURES"] === "1";
    if (isWritten) await write(title, gridLines(grid, columns));
    const written = gridIn((await sections()).get(title) ?? []);
    faults.push(...unlike(grid, written).map((line) => `${title}: ${line}`));
  }
  return faults;
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
