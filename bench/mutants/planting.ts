import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";

/** The file with the fault in it, or why it cannot be planted any more. */
export function planted({ name, file, find, replace }: Mutant, text: string): string {
  const times = text.split(find).length - 1;
  if (times !== 1)
    throw new Error(
      `“${name}” no longer applies: its text stands ${times} times in ${file}, not once. ` +
        `Say in bench/mutants where that logic is now, and plant the same fault there. The text is:\n${find}`,
    );
  return text.replace(find, () => replace);
}

/** What is wrong with the list itself: nothing is run to find it out. */
export async function faultsIn(root: string, mutants: readonly Mutant[]): Promise<readonly string[]> {
  const faults = await Promise.all(mutants.map((mutant) => faultsOf(root, mutant)));
  const names = mutants.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [...twice.map((name) => `two mutants are called “${name}”`), ...faults.flat()];
}

async function faultsOf(root: string, mutant: Mutant): Promise<readonly string[]> {
  const { name, file, find, replace, tests } = mutant;
  const lost = tests.filter((test) => !existsSync(join(root, test)));
  const faults = lost.map((test) => `“${name}”: there is no test file ${test}`);
  if (tests.length === 0) faults.push(`“${name}” names no test`);
  if (find === replace) faults.push(`“${name}” changes nothing`);
  try {
    planted(mutant, await readFile(join(root, file), "utf8"));
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  return faults;
}
