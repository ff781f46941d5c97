import type { Bench, Target } from "../bench.ts";
import { rounded } from "../medians.ts";
import {
  type Grown,
  type GrowthSize,
  type Living,
  compareHomes,
  memoryOver,
  searchRatio,
} from "./growth-run.ts";

const small = { sessions: 20, turnsEach: 2, messagesPerTurn: 4, measuredTurns: 20 };

/** Over what the memory of one process is looked at. */
const lives = [
  ["sessions", "sessions", { runtime: "loop", isNew: true }],
  ["codexLikeTurns", "turns", { runtime: "keeps" }],
  ["loopTurns", "turns", { runtime: "loop", summariseAfter: 100 }],
] as const satisfies readonly (readonly [string, keyof GrowthSize["memory"], Living])[];

export const bench: Bench<GrowthSize> = {
  sizes: {
    full: {
      fresh: small,
      grown: {
        turns: { ...small, measuredTurns: 5_000 },
        sessions: { ...small, sessions: 10_000 },
        messages: { ...small, sessions: 1_000, turnsEach: 100, messagesPerTurn: 10 },
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
    for (const [what, of, how] of lives) {
      if (!wanted("memory")) continue;
      const { before, after } = await memoryOver(size.fresh, size.memory[of], how);
      note(`memory.${what}`, after.rssMiB - before.rssMiB, 50);
      figures[`heap.${what}`] = rounded(after.heapMiB - before.heapMiB);
      log(`memory over ${size.memory[of]} ${what}: ${JSON.stringify({ before, after })}`);
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
