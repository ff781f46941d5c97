import { randomFrom } from "../random.ts";
import { interleave } from "./interleaving.ts";
import type { Mutant } from "./mutants.ts";
import { openWorld } from "./world.ts";

/** One database for so many: what is in it already must not matter. */
const perWorld = 100;

export type ModelReport = {
  readonly interleavings: number;
  /** Interleavings in which something was wrong. */
  readonly caught: number;
  readonly wrong: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
};

export async function modelRun(interleavings: number, seed: number, mutant?: Mutant): Promise<ModelReport> {
  const random = randomFrom(seed);
  const wrong: Record<string, number> = {};
  const counts: Record<string, number> = {};
  let caught = 0;
  for (let done = 0; done < interleavings;) {
    await using world = await openWorld();
    for (const last = Math.min(done + perWorld, interleavings); done < last; done++) {
      const result = await interleave(world, random, mutant);
      add(counts, Object.entries(result.counts));
      add(
        wrong,
        [...new Set(result.wrong)].map((what) => [what, 1]),
      );
      if (result.wrong.length > 0) caught += 1;
    }
  }
  return { interleavings, caught, wrong, counts };
}

export function add(sums: Record<string, number>, more: Iterable<readonly [string, number]>): void {
  for (const [name, count] of more) sums[name] = (sums[name] ?? 0) + count;
}
