import type { Attended } from "../../src/core/host.ts";
import { fileTools } from "./file-tools.ts";
import { type Tried, tryPaths } from "./try-paths.ts";
import { makeWorld } from "./world.ts";
import { mutants, wrongTools } from "./wrong-tools.ts";

export type Size = {
  /** Names and paths, half of them with nobody to ask and half with everything allowed beforehand. */
  readonly paths: number;
  /** For each of the tools that are wrong on purpose. */
  readonly mutantPaths: number;
};

export type PathsReport = {
  readonly figures: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
};

/** Hostile paths through every file tool, then through tools that are wrong on purpose, which has to be noticed. */
export async function pathsRun(
  size: Size,
  seed: number,
  progress: (line: string) => void,
): Promise<PathsReport> {
  const figures: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const attended of ["none", "all"] as const) {
    progress(`${size.paths / 2} paths, allowed beforehand: ${attended}`);
    const tried = await withRealTools(attended, size.paths / 2, seed);
    figures[attended] = {
      calls: tried.calls,
      done: tried.done,
      flips: tried.flips,
      faults: tried.faults.length,
    };
    faults.push(...tried.faults, ...missing(tried));
  }
  for (const mutant of mutants) {
    progress(`red twin: ${mutant}`);
    await using world = await makeWorld(false);
    const tools = wrongTools(mutant);
    const tried = await tryPaths({ world, tools, attended: "none", paths: size.mutantPaths, seed });
    figures[mutant] = tried.faults.length;
    if (tried.faults.length === 0) faults.push(`nobody noticed: ${mutant}`);
  }
  return { figures: { paths: size.paths, ...figures }, faults };
}

async function withRealTools(
  attended: Exclude<Attended, "ask">,
  paths: number,
  seed: number,
): Promise<Tried> {
  await using world = await makeWorld(true);
  return await tryPaths({ world, tools: fileTools(world), attended, paths, seed });
}

/** What was not tried proves nothing. */
function missing({ done, flips, tools, kinds, calls }: Tried): readonly string[] {
  const rare = Object.entries({ ...tools, ...kinds }).filter(([, count]) => count < calls / 1000);
  return [
    ...rare.map(([name, count]) => `${name}: tried only ${count} times`),
    ...(done > calls / 100 ? [] : [`only ${done} calls did anything`]),
    ...(flips > 1000 ? [] : [`paths were swapped only ${flips} times`]),
  ];
}
