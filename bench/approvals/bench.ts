import type { Bench } from "../bench.ts";
import { modelPart } from "./model-part.ts";
import type { Size } from "./part.ts";
import { realPart } from "./real-part.ts";
import { rewritePart } from "./rewrite-part.ts";

export const bench: Bench<Size> = {
  sizes: {
    full: {
      interleavings: 30_000,
      mutantInterleavings: 1_000,
      realTurns: 54,
      rewriteWays: { loop: 1, codex: 1, "codex, code mode": 1 },
    },
    quick: {
      interleavings: 80,
      mutantInterleavings: 40,
      realTurns: 3,
      // exact-yes.real.test.ts has both kinds of models.
      rewriteWays: { loop: 12, codex: 12, "codex, code mode": 0 },
    },
  },
  flags: ["interleavings"],
  isSeeded: true,
  async run(size, { seed, flags, log }) {
    const interleavings = Number(flags["interleavings"] ?? size.interleavings);
    const figures: Record<string, unknown> = {};
    const faults: string[] = [];
    for (const part of [modelPart, realPart, rewritePart]) {
      const report = await part({ ...size, interleavings }, seed, log);
      figures[report.name] = report.figures;
      faults.push(...report.faults);
    }
    return { figures, faults };
  },
};
