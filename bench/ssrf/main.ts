import { parseArgs } from "node:util";
import { systemClock } from "../../src/lib/clock.ts";
import { controls } from "./controls.ts";
import { mutants } from "./mutants.ts";
import { allVectors, ssrfRun } from "./ssrf-run.ts";
import { controlFaults, faultsIn } from "./verdict.ts";
import { openWorld } from "./world.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? systemClock.now() % 1_000_000);
const started = systemClock.monotonic();
await using world = await openWorld();
const vectors = allVectors(world.port, seed);
const run = await ssrfRun(world, vectors);
const control = await controls(world);
const caught: Record<string, number> = {};
for (const [name, mutant] of Object.entries(mutants)) {
  caught[name] = (await ssrfRun(world, vectors, mutant)).hits;
}
const faults = [
  ...faultsIn(run),
  ...controlFaults(control),
  ...Object.entries(caught).flatMap(([name, hits]) =>
    hits === 0 ? [`a guard that ${name} was not noticed`] : [],
  ),
];
for (const fault of faults.slice(0, 20)) console.error(fault);
const { kinds, letThrough, wrong, ...figures } = run;
console.error(JSON.stringify(kinds, undefined, 2));
console.log(
  JSON.stringify({
    bench: "ssrf",
    seed,
    ...figures,
    kinds: Object.keys(kinds).length,
    letThrough: letThrough.length,
    wrong: wrong.length,
    canaries: world.canaries,
    controls: control,
    mutantHits: caught,
    seconds: Math.round((systemClock.monotonic() - started) / 100) / 10,
    pass: faults.length === 0,
  }),
);
process.exitCode = faults.length === 0 ? 0 : 1;
