export type Size = {
  /** Warm turns of each side, one at a time. */
  readonly warmTurns: number;
  /** Sessions at once, turns of each, and how often each side does that. */
  readonly atOnce: { readonly sessions: number; readonly turns: number; readonly times: number };
  /** Sessions that are open while memory is looked at. */
  readonly open: number;
  readonly kills: number;
};

export const fullSize: Size = {
  warmTurns: 100,
  atOnce: { sessions: 20, turns: 3, times: 6 },
  open: 50,
  kills: 15,
};

/** For `npm test`. */
export const quickSize: Size = {
  warmTurns: 3,
  atOnce: { sessions: 2, turns: 1, times: 1 },
  open: 2,
  kills: 1,
};
