import { mutants } from "./mutants.ts";
import type { Part } from "./part.ts";
import { shardedRun } from "./shards.ts";

/** Random interleavings against the reference, then each mutant, which must be noticed. */
export const modelPart: Part = async (size, seed, progress) => {
  const { counts, wrong, caught, interleavings } = await shardedRun(
    { interleavings: size.interleavings, seed },
    progress,
  );
  const found: Record<string, string> = {};
  const missed: string[] = [];
  for (const mutant of mutants) {
    const report = await shardedRun({ interleavings: size.mutantInterleavings, seed, mutant }, progress);
    found[mutant] = `${report.caught} of ${report.interleavings}`;
    if (report.caught === 0) missed.push(`the mutant ${mutant} was not noticed`);
  }
  return {
    name: "model",
    figures: { interleavings, broken: caught, ...counts, mutants: found },
    faults: [
      ...Object.entries(wrong).map(([what, times]) => `${what}: ${times}`),
      ...must.filter((what) => (counts[what] ?? 0) === 0).map((what) => `it never came to "${what}"`),
      ...missed,
    ],
  };
};

/** What has to come up for the run to mean anything. */
const must = [
  "runs",
  "dropped",
  "died",
  "taken",
  "late",
  "refused",
  "revoked",
  "stops in the moment of an answer",
  "told person",
  "told policy",
  "told grant",
  "told timeout",
  "told not_asked",
  "told withdrawn",
];
