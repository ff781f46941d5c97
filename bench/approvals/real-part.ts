import type { Part } from "./part.ts";
import { realTurns } from "./real-codex.ts";

/** The same question on the real codex: what was done is what was granted, no more and no less. */
export const realPart: Part = async ({ realTurns: turns }, _seed, progress) => {
  progress(`${turns} turns on the real codex`);
  const { wrong, ...figures } = await realTurns(turns);
  const differs = figures.granted === figures.executed ? [] : ["more or less was done than was granted"];
  return { name: "real codex", figures, faults: [...wrong, ...differs] };
};
