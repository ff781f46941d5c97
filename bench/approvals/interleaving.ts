import type { Random } from "../random.ts";
import { violations } from "./ledger-check.ts";
import type { Mutant } from "./mutants.ts";
import { Scene, timeoutMs } from "./scene.ts";
import { randomStep } from "./steps.ts";
import type { World } from "./world.ts";

export type Interleaved = {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
};

/** Lets things happen in a random order, some of them in the middle of others, and then asks what came of it. */
export async function interleave(world: World, random: Random, mutant?: Mutant): Promise<Interleaved> {
  const scene = new Scene(world, random, mutant);
  await scene.start();
  const under: Promise<void>[] = [];
  for (let left = 4 + random.below(9); left > 0; left--) {
    under.push(randomStep(scene)(scene));
    await pause(scene, under);
  }
  await Promise.race([Promise.all(under), ended(scene)]);
  await ended(scene);
  const wrong = await violations(scene);
  const { asked, talks, counts } = scene;
  for (const { decision } of asked) scene.count(decision === undefined ? "died" : `told ${decision.why}`);
  for (const { connection } of talks) {
    for (const _ of connection.runs) scene.count("runs");
    counts["dropped"] = (counts["dropped"] ?? 0) + connection.dropped;
  }
  return { wrong, counts };
}

/** From not at all, over a few steps of whatever is under way, to the end of it. */
async function pause(scene: Scene, under: readonly Promise<void>[]): Promise<void> {
  const { random } = scene;
  const how = random.below(4);
  if (how === 0) return;
  if (how === 1) for (let ticks = random.below(60); ticks > 0; ticks--) await Promise.resolve();
  if (how === 2) await scene.settle();
  if (how === 3) await Promise.race([under.at(-1), scene.settle().then(() => scene.settle())]);
}

/** Everybody hears of everything, time runs out, and the dead are cleared away. */
async function ended(scene: Scene): Promise<void> {
  await scene.settle();
  await scene.clock.advance(timeoutMs + 500);
  await scene.settle();
  await scene.clock.advance(1000);
  await scene.settle();
  await scene.processes[0]?.broker.reconcile();
  await scene.settle();
}
