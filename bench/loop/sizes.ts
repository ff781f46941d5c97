export type Size = {
  /** Turns of each side before anything is counted, in which what runs often is compiled. */
  readonly warmUp: number;
  /** How often each side has its turn. */
  readonly blocks: number;
  /** Warm turns of a block, in one session, after one that opens it. */
  readonly turns: number;
  /** Whole programs, started and ended, of each kind. */
  readonly cold: number;
  /** Whether to measure what others have made, and ours as it is published. Theirs comes from the network once. */
  readonly others: boolean;
};

export const fullSize: Size = { warmUp: 30, blocks: 16, turns: 12, cold: 15, others: true };

/** For `npm test`. */
export const quickSize: Size = { warmUp: 2, blocks: 2, turns: 5, cold: 1, others: false };
