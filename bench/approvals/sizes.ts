import type { Way } from "./rewrite-world.ts";

export type Size = {
  readonly interleavings: number;
  readonly mutantInterleavings: number;
  readonly realTurns: number;
  /** On each way every n-th case in which something is rewritten after a yes. */
  readonly rewriteWays: Readonly<Record<Way, number>>;
};

export const fullSize: Size = {
  interleavings: 30_000,
  mutantInterleavings: 1_000,
  realTurns: 54,
  rewriteWays: { loop: 1, codex: 1, "codex, code mode": 1 },
};
/** For `npm test`. */
export const quickSize: Size = {
  interleavings: 150,
  mutantInterleavings: 120,
  realTurns: 4,
  rewriteWays: { loop: 1, codex: 12, "codex, code mode": 12 },
};
