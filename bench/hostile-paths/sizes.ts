export type Size = {
  /** Names and paths, half of them with nobody to ask and half with everything allowed beforehand. */
  readonly paths: number;
  /** For each of the tools that are wrong on purpose. */
  readonly mutantPaths: number;
};

export const fullSize: Size = { paths: 100_000, mutantPaths: 4_000 };
/** For `npm test`. */
export const quickSize: Size = { paths: 4_000, mutantPaths: 1_500 };
