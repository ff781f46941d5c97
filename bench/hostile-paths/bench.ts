import type { Bench } from "../bench.ts";
import { type Size, pathsRun } from "./paths-run.ts";

export const bench: Bench<Size> = {
  sizes: {
    full: { paths: 100_000, mutantPaths: 4_000 },
    quick: { paths: 800, mutantPaths: 300 },
  },
  isSeeded: true,
  run: (size, { seed, log }) => pathsRun(size, seed, log),
};
