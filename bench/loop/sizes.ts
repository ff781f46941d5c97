export type Size = {
  /** How often each side has its turn. */
  readonly blocks: number;
  /** Warm turns of a block, in one session, after one that opens it. */
  readonly turns: number;
  /** Whole programs, started and ended, of each kind. */
  readonly cold: number;
  /** Whether to measure what others have made, and ours as it is published. Theirs comes from the network once. */
  readonly others: boolean;
};

export const fullSize: Size = { blocks: 16, turns: 12, cold: 15, others: true };

/** For `npm test`. */
export const quickSize: Size = { blocks: 2, turns: 5, cold: 1, others: false };
