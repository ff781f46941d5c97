import type { Way } from "./rewrite-world.ts";

export type Size = {
  readonly interleavings: number;
  readonly mutantInterleavings: number;
  readonly realTurns: number;
  /** On each way every n-th case in which something is rewritten after a yes; 0: none. */
  readonly rewriteWays: Readonly<Record<Way, number>>;
};

/** What came of one part. `faults`: everything that speaks against it, in words. */
type PartReport = {
  readonly name: string;
  readonly figures: Readonly<Record<string, unknown>>;
  readonly faults: readonly string[];
};

export type Part = (size: Size, seed: number, progress: (line: string) => void) => Promise<PartReport>;
