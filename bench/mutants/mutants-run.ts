import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openCopy } from "./copy.ts";
import type { Mutant } from "./mutant.ts";
import { planted } from "./planting.ts";
import { type TestRun, loadFault, runTests } from "./run-tests.ts";

export type Judged = { readonly name: string; readonly caught: boolean; readonly how: string };

/** Plants one after the other in a copy of the checkout. Throws when the tests are not green without any. */
export async function mutantsRun(
  root: string,
  mutants: readonly Mutant[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  await using copy = await openCopy(root, signal);
  await requireGreen(copy.folder, mutants, say, signal);
  const all: Judged[] = [];
  for (const mutant of mutants) {
    const judged = { name: mutant.name, ...(await judge(copy.folder, mutant, signal)) };
    say(`${judged.caught ? "caught  " : "SURVIVED"} ${judged.name}: ${judged.how}`);
    all.push(judged);
  }
  return all;
}

async function requireGreen(
  folder: string,
  mutants: readonly Mutant[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  say(`${files.length} test files without a fault`);
  const { failed, ran, ...rest } = await runTests(folder, files, { signal });
  const why = rest.void ?? failed.map(({ name, why: words }) => `\n  ${name}: ${words}`).join("");
  if (why !== "")
    throw new Error(`Without any fault the tests are not green, so nothing can be told: ${why}`);
  say(`${ran} tests are green`);
}

async function judge(folder: string, mutant: Mutant, signal: AbortSignal): Promise<Omit<Judged, "name">> {
  const path = join(folder, mutant.file);
  const before = await readFile(path, "utf8");
  await writeFile(path, planted(mutant, before));
  try {
    const broken = await loadFault(folder, mutant.file, signal);
    if (broken !== undefined) return { caught: false, how: `it cannot be loaded: ${broken}` };
    return verdict(await runTests(folder, mutant.tests, { signal, untilFailure: true }));
  } finally {
    await writeFile(path, before);
  }
}

function verdict({ ran, failed, void: nothing }: TestRun): Omit<Judged, "name"> {
  if (nothing !== undefined) return { caught: false, how: nothing };
  const [first] = failed;
  if (first === undefined) return { caught: false, how: `${ran} tests stayed green` };
  return { caught: true, how: `test ${ran} failed, “${first.name}”: ${first.why}` };
}
