/** How many cuts of each kind; `"every"`: after each frame. */
export type Size = {
  readonly real: number | "every";
  readonly fake: number | "every";
  readonly ours: number | "every";
  /** Fewer of any kind prove nothing. */
  readonly least: number;
};

export const fullSize: Size = { real: "every", fake: "every", ours: "every", least: 60 };
/** For `npm test`. */
export const quickSize: Size = { real: 1, fake: 1, ours: 1, least: 1 };
