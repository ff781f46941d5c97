import type { Bench } from "../bench.ts";
import { randomFrom } from "../random.ts";
import { type Size, killedCards } from "./killed-cards.ts";

/** A card that is worked on by the real codex is done once, whoever is killed meanwhile. */
export const bench: Bench<Size> = {
  sizes: { full: { kills: 40, lanes: 2 }, quick: { kills: 3, lanes: 3 } },
  isSeeded: true,
  async run(size, { seed, log }) {
    const { broken, ...figures } = await killedCards(size, randomFrom(seed), log);
    const { kills } = figures;
    const missing = size.kills - Object.values(kills).reduce((sum, many) => sum + many, 0);
    return {
      figures,
      faults: [...broken, ...(missing === 0 ? [] : [`${missing} kills came when nothing ran any more`])],
    };
  },
};
