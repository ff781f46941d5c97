/**
 * Every n-th text in each part. `ways`: by how many of the seven ways each of them arrives on the loop. `twin`: against the
 * broken guard.
 */
export type Size = {
  readonly loop: number;
  readonly ways: number;
  readonly codex: number;
  readonly twin: number;
};

export const fullSize: Size = { loop: 1, ways: 7, codex: 5, twin: 2 };
/** For `npm test`. */
export const quickSize: Size = { loop: 6, ways: 1, codex: 80, twin: 30 };
