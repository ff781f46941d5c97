import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type ModelReport, add, modelRun } from "./model-run.ts";
import type { Mutant } from "./mutants.ts";

export type Shard = { readonly interleavings: number; readonly seed: number; readonly mutant?: Mutant };

/** Small enough that the time of one says something, and a thread that is done takes the next. */
const perShard = 2000;

/** The same interleavings whatever the number of threads: each shard has a seed of its own. */
export async function shardedRun(whole: Shard, progress: (line: string) => void): Promise<ModelReport> {
  if (whole.interleavings <= perShard) return modelRun(whole.interleavings, whole.seed, whole.mutant);
  const shards = Array.from({ length: Math.ceil(whole.interleavings / perShard) }, (_, index) => ({
    ...whole,
    interleavings: Math.min(perShard, whole.interleavings - index * perShard),
    seed: whole.seed + index * 1_000_003,
  }));
  const total = { interleavings: 0, caught: 0, wrong: {}, counts: {} };
  const waiting = shards.values();
  const thread = async (): Promise<void> => {
    for (const shard of waiting) {
      const report = await inThread(shard);
      total.interleavings += report.interleavings;
      total.caught += report.caught;
      add(total.wrong, Object.entries(report.wrong));
      add(total.counts, Object.entries(report.counts));
      progress(`${total.interleavings} interleavings, ${total.caught} broken`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, thread));
  return total;
}

const inThread = (shard: Shard): Promise<ModelReport> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./shard.child.ts", import.meta.url), { workerData: shard });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`a thread ended with ${code} before it was done`)));
  });
