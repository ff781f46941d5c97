export type Size = {
  readonly interleavings: number;
  readonly mutantInterleavings: number;
  readonly realTurns: number;
};

export const fullSize: Size = { interleavings: 30_000, mutantInterleavings: 1_000, realTurns: 54 };
/** For `npm test`. */
export const quickSize: Size = { interleavings: 150, mutantInterleavings: 120, realTurns: 4 };
