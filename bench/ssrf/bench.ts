import { systemClock } from "../../src/lib/clock.ts";
import type { Bench } from "../bench.ts";
import { controls } from "./controls.ts";
import { mutants } from "./mutants.ts";
import { type Counts, allVectors, ssrfRun } from "./ssrf-run.ts";
import { controlFaults, faultsIn } from "./verdict.ts";
import { openWorld } from "./world.ts";

/** How many of each, for our guard and for each that is broken on purpose. */
type Size = { readonly guard: Counts; readonly mutants: Counts };

/** What has to be shown, and quick enough to be shown each time. */
const all: Counts = { ipv4: 17, ipv6: 66, names: 100, redirects: 120, rebinding: 300 };

export const bench: Bench<Size> = {
  sizes: {
    full: { guard: all, mutants: all },
    quick: { guard: all, mutants: { ipv4: 1, ipv6: 4, names: 20, redirects: 5, rebinding: 10 } },
  },
  isSeeded: true,
  async run(size, { seed, log }) {
    const started = systemClock.monotonic();
    await using world = await openWorld();
    const run = await ssrfRun(world, allVectors(world.port, seed, size.guard));
    const control = await controls(world);
    const caught: Record<string, number> = {};
    for (const [name, mutant] of Object.entries(mutants)) {
      const vectors = allVectors(world.port, seed, size.mutants);
      caught[name] = (await ssrfRun(world, vectors, mutant)).hits;
    }
    const unnoticed = Object.keys(caught).filter((name) => caught[name] === 0);
    const { kinds, letThrough, wrong, ...figures } = run;
    log(JSON.stringify(kinds, undefined, 2));
    return {
      figures: {
        ...figures,
        kinds: Object.keys(kinds).length,
        letThrough: letThrough.length,
        wrong: wrong.length,
        canaries: world.canaries,
        controls: control,
        mutantHits: caught,
        seconds: Math.round((systemClock.monotonic() - started) / 100) / 10,
      },
      faults: [
        ...faultsIn(run),
        ...controlFaults(control),
        ...unnoticed.map((name) => `a guard that ${name} was not noticed`),
      ],
    };
  },
};
