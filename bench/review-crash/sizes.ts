/** `real`: kills of a process. `exact`: crashes at a chosen step. `naive`: against the unguarded writer. `turns`: for the delay. */
export type Size = {
  readonly real: number;
  readonly exact: number;
  readonly naive: number;
  readonly turns: number;
};

export const fullSize: Size = { real: 100, exact: 900, naive: 20, turns: 40 };
/** For `npm test`. */
export const quickSize: Size = { real: 2, exact: 30, naive: 6, turns: 0 };
