import type { Bench, Target } from "../bench.ts";
import { rounded } from "../medians.ts";
import { type Grown, type GrowthSize, compareHomes, memoryOver, searchRatio } from "./growth-run.ts";

const small = { sessions: 20, turnsEach: 2, messagesPerTurn: 4, measuredTurns: 12 };

export const bench: Bench<GrowthSize> = {
  sizes: {
    full: {
      fresh: small,
      grown: {
        turns: { ...small, measuredTurns: 5_000 },
        sessions: { ...small, sessions: 10_000 },
        messages: { ...small, sessions: 2_500, turnsEach: 100 },
      },
      rounds: 12,
      perRound: 5,
      starts: 7,
      memory: { sessions: 10_000, turns: 5_000 },
      search: { queries: 20, rounds: 5 },
    },
    quick: {
      fresh: small,
      grown: {
        turns: { ...small, measuredTurns: 60 },
        sessions: { ...small, sessions: 60 },
        messages: { ...small, sessions: 30, turnsEach: 10 },
      },
      rounds: 1,
      perRound: 1,
      starts: 1,
      memory: { sessions: 5, turns: 5 },
      search: { queries: 2, rounds: 1 },
    },
  },
  flags: ["part"],
  isTimed: true,
  async run(size, { flags, log }) {
    const wanted = (part: string): boolean => flags["part"] === undefined || flags["part"] === part;
    const figures: Record<string, unknown> = {};
    const targets: Record<string, Target> = {};
    const note = (name: string, is: number, atMost: number): void => {
      figures[name] = rounded(is);
      targets[name] = { is: rounded(is), atMost };
    };
    for (const [way, shape] of Object.entries(size.grown)) {
      if (!wanted(way)) continue;
      const grown = await compareHomes(shape, size);
      for (const what of Object.keys(grown) as (keyof Grown)[]) note(`${way}.${what}`, grown[what], 1.1);
      log(`${way}: ${JSON.stringify(grown)}`);
    }
    for (const [what, runtime, isNew] of [
      ["sessions", "loop", { isNew: true }],
      ["turns", "keeps", {}],
    ] as const) {
      if (!wanted("memory")) continue;
      const { rssMiB, heapMiB } = await memoryOver(size.fresh, size.memory[what], { runtime, ...isNew });
      note(`memory.${what}`, rssMiB, 50);
      figures[`heap.${what}`] = rounded(heapMiB);
      log(`memory over ${size.memory[what]} ${what}: ${rssMiB} MiB, heap ${heapMiB} MiB`);
    }
    const found = wanted("search") ? await searchRatio(size) : undefined;
    if (found !== undefined) note("search", found.ratio, 1.2);
    const different = found?.different ?? 0;
    return {
      figures,
      targets,
      faults: different === 0 ? [] : [`${different} queries find something else than the index`],
    };
  },
};
