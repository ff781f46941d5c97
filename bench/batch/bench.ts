import type { Bench } from "../bench.ts";
import { median, rounded } from "../medians.ts";
import { randomFrom } from "../random.ts";
import { killedBatch } from "./killed-batch.ts";
import { throughput } from "./throughput.ts";

type Size = {
  readonly prompts: number;
  readonly kills: number;
  /** Prompts and rounds of the comparison with a loop; 0: none. */
  readonly timed: number;
  readonly rounds: number;
};

/** A batch that is killed again and again has each result once, and costs hardly more than a loop over its prompts. */
export const bench: Bench<Size> = {
  sizes: {
    full: { prompts: 500, kills: 30, timed: 500, rounds: 5 },
    quick: { prompts: 12, kills: 1, timed: 0, rounds: 0 },
  },
  isSeeded: true,
  isTimed: true,
  flags: ["part"],
  async run(size, { seed, flags, log }) {
    const wants = (part: string): boolean => flags["part"] === undefined || flags["part"] === part;
    const killed = wants("kills") ? await killedBatch(size, randomFrom(seed), log) : undefined;
    const [client, host] = wants("times")
      ? [await compare(size, false, log), await compare(size, true, log)]
      : [];
    return {
      figures: { killed, client, host },
      faults: killed?.broken ?? [],
      ...(client === undefined || host === undefined || size.rounds === 0
        ? {}
        : {
            targets: {
              "of a loop, in its own process": { is: client.ratio, atLeast: 0.9 },
              "of a loop, in a host": { is: host.ratio, atLeast: 0.9 },
            },
          }),
    };
  },
};

async function compare({ timed, rounds }: Size, executor: boolean, log: (line: string) => void) {
  const [loops, batches]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    loops.push(await throughput(timed, "loop", executor));
    batches.push(await throughput(timed, "batch", executor));
    log(
      `${rounded(batches.at(-1) ?? 0, 0)} in a second as a batch, ${rounded(loops.at(-1) ?? 0, 0)} in a loop`,
    );
  }
  const [batch, loop] = [median(batches), median(loops)];
  return { batchPerSecond: rounded(batch, 0), loopPerSecond: rounded(loop, 0), ratio: rounded(batch / loop) };
}
