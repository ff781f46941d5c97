/** One fault, planted in one place of the sources. */
export type Mutant = {
  /** What is wrong then, in a few words. */
  readonly name: string;
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The fewest test files of which one notices it. */
  readonly tests: readonly string[];
};
