import type { Bench } from "../bench.ts";
import { type CrashSize, crashRun } from "./crash-run.ts";

export const bench: Bench<CrashSize> = {
  sizes: {
    full: { randomKills: 120, statements: "every", mutantFrom: 1 },
    quick: { randomKills: 1, statements: 2, mutantFrom: 21 },
  },
  isSeeded: true,
  async run(size, { seed, log }) {
    const { broken, mutantBroken, ...counts } = await crashRun(size, seed, log);
    const count = (word: string): number => broken.filter((line) => line.includes(`${word}:`)).length;
    const mutants = Object.entries(mutantBroken).map(([name, lines]) => ({ name, seen: lines.length > 0 }));
    return {
      figures: {
        ...counts,
        lost: count("lost"),
        doubled: count("doubled"),
        broken: broken.length,
        mutantsCaught: mutants.filter(({ seen }) => seen).map(({ name }) => name),
      },
      faults: [
        ...broken,
        ...mutants.flatMap(({ name, seen }) => (seen ? [] : [`the mutant ${name} was not noticed`])),
        ...(counts.cutOff > 0 ? [] : ["no call was cut off in the middle"]),
        ...(counts.randomKills >= size.randomKills
          ? []
          : [`only ${counts.randomKills} kills at random moments`]),
      ],
    };
  },
};
