export type Size = {
  /** Starts of each kind before any is counted: the first makes the home, the second fills its compile cache. */
  readonly warmUp: number;
  /** Starts of each kind in a home that has been used before. */
  readonly warm: number;
  /** Starts of each kind in a home that nobody has used. */
  readonly fresh: number;
  /** Is pi installed to compare with? */
  readonly pi: boolean;
  /** How many times worse than its target a figure may be before the run fails. */
  readonly slack: number;
};

export const fullSize: Size = { warmUp: 2, warm: 15, fresh: 5, pi: true, slack: 1 };

/** For `npm test`: it says nothing about time, only that everything starts. Without a warm-up a used home is a fresh one. */
export const quickSize: Size = { warmUp: 0, warm: 1, fresh: 0, pi: false, slack: Number.POSITIVE_INFINITY };
