import { resolve } from "node:path";

/** Arguments of Node for a child that loads the sources. */
export const ownSources: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  import.meta.resolve("../test/fast-modules.ts"),
];

/** For its environment: what one child has compiled, the next ones need not, in this run and in later ones. */
export const compiledOnce = { NODE_COMPILE_CACHE: resolve("node_modules/.cache/bench-compiled") } as const;
