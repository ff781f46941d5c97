import type { Bench } from "../bench.ts";
import { type OrderSize, orderRun } from "./order-run.ts";

export const bench: Bench<OrderSize> = {
  sizes: {
    full: { turns: 500, kills: 60, checkEvery: 10 },
    quick: { turns: 6, kills: 1, checkEvery: 6 },
  },
  flags: ["turns", "kills"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const asked = {
      turns: Number(flags["turns"] ?? size.turns),
      kills: Number(flags["kills"] ?? size.kills),
    };
    const { broken, mutantBroken, ...counts } = await orderRun({ ...size, ...asked }, seed, log);
    const count = (word: string): number => broken.filter((line) => line.includes(`: ${word}`)).length;
    return {
      figures: {
        ...counts,
        lost: count("lost"),
        doubled: count("doubled"),
        broken: broken.length,
        mutantCaught: mutantBroken.length > 0,
      },
      faults: [
        ...broken,
        ...(mutantBroken.length > 0 || broken.length > 0
          ? []
          : ["a screen that lost an event was not noticed"]),
        ...(counts.cut > 0 ? [] : ["no turn was cut off in the middle"]),
      ],
      targets: {
        turns: { is: counts.turns, atLeast: size.turns },
        kills: { is: counts.kills, atLeast: size.kills },
      },
    };
  },
};
