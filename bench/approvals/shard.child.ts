import { parentPort, workerData } from "node:worker_threads";
import { modelRun } from "./model-run.ts";
import type { Shard } from "./shards.ts";

const { interleavings, seed, mutant } = workerData as Shard;
parentPort?.postMessage(await modelRun(interleavings, seed, mutant), []);
